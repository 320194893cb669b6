//! Layer normalization and its gradient.

use super::*;

/// Checks of [`Family::LayerNorm`].
pub struct LayerNormChecks;

impl LayerNormChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &LayerNormArgs<Array>) -> Outputs<Expected> {
        layer_norm(args).into()
    }
}

impl OperationChecks for LayerNormChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, x, epsilon| {
            for (given, [weight, bias]) in
                [("", [false; 2]), (", scaled", [true, false]), (", affine", [true; 2])]
            {
                let weight = weight.then(|| along(&x, -0.5, 1.5));
                let bias = bias.then(|| along(&x, 0.7, -0.8));
                let args = LayerNormArgs { x: x.clone(), weight, bias, epsilon };
                emit(Case::new(
                    format!("{name}{given}"),
                    dtype,
                    Operation::Normalization(Normalization::LayerNorm(Box::new(args))),
                ));
            }
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        [x, spec([1, ROWS * COLS], dtype)]
            .map(|x| {
                Operation::Normalization(Normalization::LayerNorm(Box::new(LayerNormArgs {
                    x,
                    weight: None,
                    bias: None,
                    epsilon: 1e-5,
                })))
            })
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients_of_layer_norm()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        Operation::Normalization(Normalization::LayerNorm(Box::new(random(calls))))
    }

    fn folding(&self, _random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let args = LayerNormArgs { x: x.clone(), weight: None, bias: None, epsilon: 1e-5 };
        vec![Operation::Normalization(Normalization::LayerNorm(Box::new(args)))]
    }
}

/// Checks of [`Family::LayerNormGrad`].
pub struct LayerNormGradChecks;

impl LayerNormGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &LayerNormGradArgs<Array>) -> Outputs<Expected> {
        layer_norm_grad(args).into()
    }
}

impl OperationChecks for LayerNormGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, x, epsilon| {
            for weight in [false, true] {
                let weight = weight.then(|| along(&x, -0.5, 1.5));
                let grad = spread(x.spec().shape, dtype, 1.25, -0.75).laid_out(x.layout);
                let name = format!("{name}{}", if weight.is_some() { ", scaled" } else { "" });
                let args = LayerNormGradArgs { grad, x: x.clone(), weight, epsilon };
                emit(Case::new(
                    name,
                    dtype,
                    Operation::Normalization(Normalization::LayerNormGrad(Box::new(args))),
                ));
            }
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let other = matrix(dtype);
        let args = LayerNormGradArgs { grad: x, x: other, weight: None, epsilon: 1e-5 };
        vec![Operation::Normalization(Normalization::LayerNormGrad(Box::new(args)))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients_of_layer_norm_grad()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let LayerNormArgs { x, weight, epsilon, .. } = random(calls);
        let grad = calls.exactly(x.shape.clone(), x.dtype);
        let args = LayerNormGradArgs { grad, x, weight, epsilon };
        Operation::Normalization(Normalization::LayerNormGrad(Box::new(args)))
    }
}

/// Epsilon that every float dtype represents exactly.
const EPSILON: f64 = 1.0 / 128.0;

fn sweep(mut f: impl FnMut(String, DType, Input, f64)) {
    for dtype in floats() {
        let shapes: [Shape; 8] = [
            [2, 3, 0].into(),
            [0, 3].into(),
            [37].into(),
            [5, 9].into(),
            [3, 1].into(),
            [2, 3, 4, 5].into(),
            [4, 64].into(),
            [3, 130].into(),
        ];
        for shape in shapes {
            for layout in MemoryLayout::ALL {
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                f(format!("{shape:?}, {layout:?}"), dtype, x, EPSILON);
            }
        }
        let class =
            |values: &[f64]| list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), dtype);
        let inf = f64::INFINITY;
        f("of one value".into(), dtype, class(&[0.75; 5]), EPSILON);
        f("NaN".into(), dtype, class(&[0.5, f64::NAN, 1.0]), EPSILON);
        f("inf".into(), dtype, class(&[0.5, inf, 1.0]), EPSILON);
        f("-inf and inf".into(), dtype, class(&[-inf, inf, 1.0]), EPSILON);
    }
    f("large".into(), DType::F32, ordinary([260, 271], DType::F32), 1e-5);
    f("large".into(), DType::F64, ordinary([70, 271], DType::F64), 1e-5);
}

/// A list for the last dimension.
fn along(x: &Input, from: f64, to: f64) -> Input {
    let spec = x.spec();
    spread([*spec.shape.last().expect("a last dimension")], spec.dtype, from, to)
}

fn row_length(x: &Array) -> usize {
    *x.shape().last().expect("a last dimension")
}

fn numbers(x: &Array) -> Vec<f64> {
    x.values.iter().map(|x| x.to_f64()).collect()
}

/// The numbers of a list, or one of them as often.
fn list_or(list: Option<&Array>, size: usize, otherwise: f64) -> Vec<f64> {
    list.map_or_else(|| vec![otherwise; size], numbers)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// A row normalised, and its deviation.
fn standardised(row: &[f64], epsilon: f64) -> (Vec<f64>, f64) {
    let middle = mean(row.iter().copied());
    let deviation = (mean(row.iter().map(|x| (x - middle) * (x - middle))) + epsilon).sqrt();
    (row.iter().map(|x| (x - middle) / deviation).collect(), deviation)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

fn expected(like: &Array, values: Vec<f64>, size: f64) -> Expected {
    let array = Array { spec: like.spec().clone(), values: values.into_iter().map(Number::Float).collect() };
    Expected { tolerance: tolerance::layer_norm(row_length(like), size), array }
}

/// Rounding the difference from the mean shows divided by the deviation, in a result and in what it is
/// multiplied by.
fn layer_norm(args: &LayerNormArgs<Array>) -> Expected {
    let (x, size) = (numbers(&args.x), row_length(&args.x));
    let (weight, bias) = (list_or(args.weight.as_ref(), size, 1.0), list_or(args.bias.as_ref(), size, 0.0));
    let (mut values, mut scale) = (Vec::new(), 1.0_f64);
    for row in x.chunks(size.max(1)) {
        let (normal, deviation) = standardised(row, args.epsilon);
        scale = scale.max((1.0 + largest(&normal)) * (1.0 + largest(row) / deviation));
        values
            .extend(normal.iter().zip(weight.iter().zip(&bias)).map(|(y, (weight, bias))| y * weight + bias));
    }
    expected(&args.x, values, scale * largest(&weight) + largest(&bias))
}

fn layer_norm_grad(args: &LayerNormGradArgs<Array>) -> Expected {
    let (x, grad, size) = (numbers(&args.x), numbers(&args.grad), row_length(&args.x));
    let weight = list_or(args.weight.as_ref(), size, 1.0);
    let (mut values, mut scale) = (Vec::new(), 1.0_f64);
    for (row, grad) in x.chunks(size.max(1)).zip(grad.chunks(size.max(1))) {
        let (normal, deviation) = standardised(row, args.epsilon);
        let grad: Vec<f64> = grad.iter().zip(&weight).map(|(grad, weight)| grad * weight).collect();
        let level = mean(grad.iter().copied());
        let along = mean(grad.iter().zip(&normal).map(|(grad, y)| grad * y));
        let error = (1.0 + largest(&normal)).powi(2) * (1.0 + largest(row) / deviation) / deviation;
        scale = scale.max(largest(&grad) * error);
        values.extend(grad.iter().zip(&normal).map(|(grad, y)| (grad - level - y * along) / deviation));
    }
    expected(&args.x, values, scale)
}

fn gradients_of_layer_norm() -> Vec<GradientCall> {
    let list = |given: bool, list: Input| given.then_some(list);
    let of = |weight, bias| {
        let (weight, bias) = (list(weight, positive([4])), list(bias, spread([4], F, -0.7, 0.5)));
        Operation::Normalization(Normalization::LayerNorm(Box::new(LayerNormArgs {
            x: signed([3, 4]),
            weight,
            bias,
            epsilon: 1e-3,
        })))
    };
    vec![call("plain", of(false, false)), call("scaled", of(true, false)), call("affine", of(true, true))]
}

fn gradients_of_layer_norm_grad() -> Vec<GradientCall> {
    let of = |weight| {
        let (grad, x) = (spread([3, 4], F, 1.7, -0.9), signed([3, 4]));
        Operation::Normalization(Normalization::LayerNormGrad(Box::new(LayerNormGradArgs {
            grad,
            x,
            weight,
            epsilon: 1e-3,
        })))
    };
    vec![call("plain", of(None)), call("scaled", of(Some(positive([4]))))]
}

fn random(calls: &mut Calls<'_>) -> LayerNormArgs<TensorSpec> {
    let x = calls.float();
    let last: Shape = [x.shape.last().copied().unwrap_or(1)].into();
    let epsilon = calls.random.pick(&[0.0, 1e-5, 1.0, -1.0]);
    let list = |this: &mut Calls<'_>| this.flag().then(|| this.exactly(last.clone(), x.dtype));
    let (weight, bias) = (list(calls), list(calls));
    LayerNormArgs { x, weight, bias, epsilon }
}
