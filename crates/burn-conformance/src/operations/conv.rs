//! Convolutions and their gradients.

use super::*;

/// Checks of [`Family::Conv`].
pub struct ConvChecks;

impl ConvChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &ConvArgs<Array>) -> Outputs<Expected> {
        conv(args).into()
    }
}

impl OperationChecks for ConvChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, layout, Geometry { x, weight, options }| {
            let channels = weight[0];
            let x = ordinary(x, dtype).laid_out(layout);
            let weight = spread(weight, dtype, -1.0, 1.0).laid_out(layout);
            for bias in [None, Some(ordinary([channels], dtype).laid_out(layout))] {
                let name = format!("{name}, bias {}", bias.is_some());
                let args = ConvArgs { x: x.clone(), weight: weight.clone(), bias, options: options.clone() };
                emit(Case::new(name, dtype, Operation::Convolution(Convolution::Conv(Box::new(args)))));
            }
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let op = |ConvSpecs { x, weight, options, .. }| {
            Operation::Convolution(Convolution::Conv(Box::new(ConvArgs { x, weight, bias: None, options })))
        };
        large(dtype).into_iter().map(op).collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|[x, weight, _], options| {
            let bias = Some(signed([weight[0]]));
            let args = ConvArgs { x: signed(x), weight: positive(weight), bias, options };
            Operation::Convolution(Convolution::Conv(Box::new(args)))
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        Operation::Convolution(Convolution::Conv(Box::new(random(calls))))
    }
}

/// Checks of [`Family::ConvTranspose`].
pub struct ConvTransposeChecks;

impl ConvTransposeChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &ConvGradArgs<Array>) -> Outputs<Expected> {
        conv_transpose(args).into()
    }
}

impl OperationChecks for ConvTransposeChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, layout, geometry| {
            let grad = ordinary(geometry.output(), dtype).laid_out(layout);
            let other = spread(geometry.weight, dtype, -1.0, 1.0).laid_out(layout);
            let args = ConvGradArgs { grad, other, target: geometry.x, options: geometry.options };
            emit(Case::new(name, dtype, Operation::Convolution(Convolution::ConvTranspose(Box::new(args)))));
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let op = |ConvSpecs { x, weight: other, options, grad }| {
            let args = ConvGradArgs { grad, other, target: x.shape, options };
            Operation::Convolution(Convolution::ConvTranspose(Box::new(args)))
        };
        large(dtype).into_iter().map(op).collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|[target, weight, out], options| {
            let args = ConvGradArgs { grad: signed(out), other: positive(weight), target, options };
            Operation::Convolution(Convolution::ConvTranspose(Box::new(args)))
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let ConvSpecs { x, weight: other, options, grad } = random_specs(calls);
        let target = random_target(calls, &x.shape);
        let args = ConvGradArgs { grad, other, target, options };
        Operation::Convolution(Convolution::ConvTranspose(Box::new(args)))
    }
}

/// Checks of [`Family::ConvWeightGrad`].
pub struct ConvWeightGradChecks;

impl ConvWeightGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &ConvGradArgs<Array>) -> Outputs<Expected> {
        conv_weight_grad(args).into()
    }
}

impl OperationChecks for ConvWeightGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, layout, geometry| {
            let grad = ordinary(geometry.output(), dtype).laid_out(layout);
            let other = spread(geometry.x, dtype, -1.0, 1.0).laid_out(layout);
            let args = ConvGradArgs { grad, other, target: geometry.weight, options: geometry.options };
            emit(Case::new(name, dtype, Operation::Convolution(Convolution::ConvWeightGrad(Box::new(args)))));
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let op = |ConvSpecs { x: other, weight, options, grad }| {
            let args = ConvGradArgs { grad, other, target: weight.shape, options };
            Operation::Convolution(Convolution::ConvWeightGrad(Box::new(args)))
        };
        large(dtype).into_iter().map(op).collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|[x, target, out], options| {
            let args = ConvGradArgs { grad: positive(out), other: signed(x), target, options };
            Operation::Convolution(Convolution::ConvWeightGrad(Box::new(args)))
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let ConvSpecs { x: other, weight, options, grad } = random_specs(calls);
        let target = random_target(calls, &weight.shape);
        let args = ConvGradArgs { grad, other, target, options };
        Operation::Convolution(Convolution::ConvWeightGrad(Box::new(args)))
    }
}

/// Shapes and options of one convolution.
#[derive(Clone, Debug)]
struct Geometry {
    x: Shape,
    weight: Shape,
    options: ConvOptions,
}

impl Geometry {
    fn output(&self) -> Shape {
        let spatial = self.options.stride.len();
        let size =
            |d| self.options.output_size(d, self.x[d + 2], self.weight[d + 2]).expect("the kernel fits");
        [self.x[0], self.weight[0]].into_iter().chain((0..spatial).map(size)).collect()
    }
}

fn geometries() -> Vec<Geometry> {
    let geometry =
        |x: &[usize], weight: &[usize], [stride, padding, dilation]: [&[usize]; 3], groups| Geometry {
            x: Shape::from(x),
            weight: Shape::from(weight),
            options: ConvOptions {
                stride: Dims::from(stride),
                padding: Dims::from(padding),
                dilation: Dims::from(dilation),
                groups,
            },
        };
    vec![
        geometry(&[2, 3, 9], &[4, 3, 3], [&[1], &[0], &[1]], 1),
        geometry(&[1, 4, 10], &[6, 2, 3], [&[2], &[1], &[2]], 2),
        geometry(&[2, 3, 7, 6], &[4, 3, 3, 2], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 6, 6], &[3, 2, 1, 1], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 6, 6], &[3, 2, 3, 3], [&[1, 1], &[1, 1], &[1, 1]], 1),
        geometry(&[2, 4, 7, 8], &[6, 2, 3, 2], [&[2, 3], &[1, 2], &[2, 1]], 2),
        // More padding after than before, as TensorFlow's `SAME`, and before than after.
        geometry(&[1, 2, 6, 6], &[3, 2, 3, 3], [&[2, 2], &[0, 0, 1, 1], &[1, 1]], 1),
        geometry(&[2, 3, 9], &[4, 3, 3], [&[1], &[2, 0], &[1]], 1),
        geometry(&[2, 4, 7, 8], &[6, 2, 3, 2], [&[2, 3], &[1, 0, 0, 4], &[2, 1]], 2),
        geometry(&[1, 4, 9, 9], &[4, 1, 3, 3], [&[2, 2], &[0, 1, 2, 0], &[1, 1]], 4),
        geometry(&[1, 2, 4, 5, 4], &[4, 2, 2, 3, 2], [&[1, 2, 1], &[0, 1, 0, 1, 1, 2], &[1, 1, 1]], 1),
        // Depthwise.
        geometry(&[2, 6, 8, 7], &[6, 1, 3, 3], [&[1, 1], &[1, 1], &[1, 1]], 6),
        geometry(&[1, 3, 9, 9], &[6, 1, 3, 3], [&[2, 2], &[1, 0], &[1, 2]], 3),
        // The stride leaves a rest; more padding than kernel; a single position.
        geometry(&[1, 1, 8, 5], &[2, 1, 3, 5], [&[3, 2], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 2, 2], &[2, 2, 2, 2], [&[1, 1], &[3, 2], &[1, 1]], 1),
        geometry(&[1, 2, 3, 3], &[2, 2, 3, 3], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 4, 5, 4], &[4, 2, 2, 3, 2], [&[1, 2, 1], &[0, 1, 1], &[1, 1, 2]], 1),
        geometry(&[2, 4, 3, 4, 4], &[4, 2, 2, 2, 3], [&[1, 1, 2], &[1, 0, 1], &[1, 2, 1]], 2),
        // Channels enough for matrices: of groups, pointwise, of three dimensions; a window of many taps.
        geometry(&[2, 8, 9, 7], &[8, 4, 3, 2], [&[2, 1], &[1, 2], &[1, 2]], 2),
        geometry(&[2, 8, 5, 3], &[5, 8, 1, 1], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[2, 16, 4], &[8, 8, 1], [&[2], &[1], &[1]], 2),
        geometry(&[1, 4, 4, 5, 4], &[5, 4, 2, 1, 2], [&[1, 2, 1], &[0, 1, 1], &[2, 1, 2]], 1),
        geometry(&[1, 2, 3, 14], &[2, 1, 2, 9], [&[1, 1], &[1, 4], &[1, 1]], 2),
        geometry(&[0, 2, 5, 5], &[3, 2, 3, 3], [&[1, 1], &[0, 0], &[1, 1]], 1),
        // No channels come in, none go out; groups of nothing.
        geometry(&[2, 0, 5], &[3, 0, 2], [&[1], &[0], &[1]], 1),
        geometry(&[2, 2, 5], &[0, 2, 2], [&[1], &[1], &[1]], 1),
        geometry(&[1, 0, 4, 4], &[4, 0, 3, 3], [&[1, 2], &[1, 1], &[1, 1]], 2),
        geometry(&[0, 4, 5], &[4, 1, 2], [&[1], &[0], &[1]], 4),
    ]
}

fn sweep(mut f: impl FnMut(String, DType, MemoryLayout, Geometry)) {
    for dtype in numbers() {
        for geometry in geometries() {
            // Effects of the dtype show in one layout, effects of the layout in some dtypes.
            let has_all = [DType::F64, DType::F32, DType::BF16, DType::I64].contains(&dtype);
            let layouts: &[MemoryLayout] =
                if has_all { &MemoryLayout::ALL } else { &[MemoryLayout::Transposed] };
            for &layout in layouts {
                let Geometry { x, weight, options } = &geometry;
                let name = format!("{x:?} with {weight:?}, {options:?}, {layout:?}");
                f(name, dtype, layout, geometry.clone());
            }
        }
    }
    for dtype in [DType::F32, DType::BF16] {
        let options = ConvOptions { padding: [1, 1].into(), ..ConvOptions::new(2) };
        let large = Geometry { x: [2, 8, 20, 21].into(), weight: [9, 8, 3, 3].into(), options };
        f("large".into(), dtype, MemoryLayout::Contiguous, large);
    }
}

/// Every product of a convolution, by the indices into input, weight and output.
fn products(
    x: &Shape,
    weight: &Shape,
    out: &Shape,
    options: &ConvOptions,
    mut f: impl FnMut(&[usize], &[usize], &[usize]),
) {
    let channels_per_group = weight[0] / options.groups;
    for o in indices(out) {
        for w in indices(&weight.with(0, 1)) {
            let place = |d: usize| {
                let padded = o[d + 2] * options.stride[d] + w[d + 2] * options.dilation[d];
                padded.checked_sub(options.padding[d]).filter(|&at| at < x[d + 2])
            };
            let Some(inside) = (0..options.stride.len()).map(place).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let channel = o[1] / channels_per_group * weight[1] + w[1];
            let i: Dims = [o[0], channel].into_iter().chain(inside).collect();
            let mut w = w;
            w[0] = o[1];
            f(&i, &w, &o);
        }
    }
}

/// The exact sums, and the sums of the magnitudes.
struct Sums {
    value: Array,
    magnitude: Array,
    terms: usize,
}

impl Sums {
    fn new(shape: &Shape, like: &Array, terms: usize) -> Self {
        let zero = Number::zero(like.dtype());
        let value = Array::build(shape.clone(), like.dtype(), |_| zero);
        let magnitude = value.map(like.dtype(), |_| Number::Float(0.0));
        Sums { value, magnitude, terms }
    }

    fn add(&mut self, at: &[usize], term: Number) {
        let (value, magnitude) = (self.value.at_mut(at), self.magnitude.at_mut(at));
        *value = value.add(term);
        *magnitude = Number::Float(magnitude.to_f64() + term.to_f64().abs());
    }

    fn expected(self) -> Expected {
        let magnitudes = self.magnitude.values.iter().map(|x| x.to_f64()).collect();
        Expected { array: self.value, tolerance: Tolerance::Sum { magnitudes, terms: self.terms } }
    }
}

fn conv(args: &ConvArgs<Array>) -> Expected {
    let ConvArgs { x, weight, bias, options } = args;
    let sizes = (0..options.stride.len()).map(|d| {
        let reach = options.dilation[d] * (weight.shape()[d + 2] - 1) + 1;
        // Zeros after a dimension are listed last.
        let after = options.padding.len() - options.stride.len() + d;
        let zeros = options.padding[d] + options.padding[after];
        (x.shape()[d + 2] + zeros - reach) / options.stride[d] + 1
    });
    let shape: Shape = [x.shape()[0], weight.shape()[0]].into_iter().chain(sizes).collect();
    let mut sums = Sums::new(&shape, x, weight.shape()[1..].iter().product::<usize>() + 1);
    if let Some(bias) = bias {
        indices(&shape).for_each(|o| sums.add(&o, bias.values[o[1]]));
    }
    products(x.shape(), weight.shape(), &shape, options, |i, w, o| {
        sums.add(o, x.at(i).mul(weight.at(w)));
    });
    sums.expected()
}

fn conv_transpose(args: &ConvGradArgs<Array>) -> Expected {
    let ConvGradArgs { grad, other: weight, target, options } = args;
    let terms = weight.shape().num_elements() / weight.shape()[1].max(1);
    let mut sums = Sums::new(target, grad, terms);
    products(target, weight.shape(), grad.shape(), options, |i, w, o| {
        sums.add(i, grad.at(o).mul(weight.at(w)));
    });
    sums.expected()
}

fn conv_weight_grad(args: &ConvGradArgs<Array>) -> Expected {
    let ConvGradArgs { grad, other: x, target, options } = args;
    let terms = grad.shape().num_elements() / grad.shape()[1].max(1);
    let mut sums = Sums::new(target, grad, terms);
    products(x.shape(), target, grad.shape(), options, |i, w, o| {
        sums.add(w, grad.at(o).mul(x.at(i)));
    });
    sums.expected()
}

/// Convolution and the spec of its result.
struct ConvSpecs {
    x: TensorSpec,
    weight: TensorSpec,
    options: ConvOptions,
    grad: TensorSpec,
}

/// Returns convolutions of the kernel sizes, groups and numbers of channels that kernels distinguish.
fn large(dtype: DType) -> Vec<ConvSpecs> {
    let shapes: [(&[usize], &[usize], usize); 6] = [
        (&[2, 16, 64, 63], &[16, 16, 3, 3], 1),
        (&[1, 32, 64, 63], &[32, 32, 3, 3], 1),
        (&[2, 32, 64, 63], &[32, 1, 3, 3], 32),
        (&[2, 32, 64, 63], &[32, 32, 1, 1], 1),
        (&[1, 4, 1 << 14], &[8, 4, 5], 1),
        (&[1, 4, 16, 32, 33], &[8, 4, 2, 2, 2], 1),
    ];
    let geometry = |(x, weight, groups): (&[usize], &[usize], usize)| {
        let (x, weight) = (spec(x, dtype), spec(weight, dtype));
        let options = ConvOptions { groups, ..ConvOptions::new(x.shape.rank() - 2) };
        let args = ConvArgs { x: x.clone(), weight: weight.clone(), bias: None, options: options.clone() };
        let conv = Operation::Convolution(Convolution::Conv(Box::new(args)));
        let grad = output_specs(&conv).ok()?.first().clone();
        Some(ConvSpecs { x, weight, options, grad })
    };
    shapes.into_iter().filter_map(geometry).collect()
}

/// Returns a call of each geometry: of the shapes of the operand, the weight and the result.
fn gradients(op: impl Fn([Shape; 3], ConvOptions) -> Operation<Input>) -> Vec<GradientCall> {
    let options = |list: [&[usize]; 3], groups| {
        let [stride, padding, dilation] = list.map(Dims::from);
        ConvOptions { stride, padding, dilation, groups }
    };
    let geometries: [(Shape, Shape, ConvOptions); 5] = [
        ([2, 2, 5].into(), [3, 2, 3].into(), options([&[1], &[1], &[1]], 1)),
        ([1, 4, 5, 4].into(), [2, 2, 2, 3].into(), options([&[2, 1], &[1, 1], &[2, 1]], 2)),
        ([1, 2, 4, 4].into(), [2, 1, 3, 3].into(), options([&[1, 1], &[1, 1], &[1, 1]], 2)),
        ([1, 1, 4, 4].into(), [2, 1, 3, 3].into(), options([&[2, 1], &[0, 1, 1, 0], &[1, 1]], 1)),
        ([1, 1, 3, 2, 3].into(), [2, 1, 2, 2, 2].into(), options([&[1, 1, 2], &[0, 0, 1], &[1, 1, 1]], 1)),
    ];
    let of = |(shape, weight, options): (Shape, Shape, ConvOptions)| {
        let size = |d: usize| options.output_size(d, shape[d + 2], weight[d + 2]).expect("the kernel fits");
        let out: Shape =
            [shape[0], weight[0]].into_iter().chain((0..options.stride.len()).map(size)).collect();
        call(format!("{shape:?} {weight:?}"), op([shape, weight, out], options))
    };
    geometries.map(of).into()
}

fn random(calls: &mut Calls<'_>) -> ConvArgs<TensorSpec> {
    let spatial = calls.random.pick(&[1, 1, 2, 2, 3]);
    let x = calls.float_of_rank(spatial + 2);
    let options = ConvOptions {
        stride: calls.random.likely_sizes(spatial, 1),
        padding: calls.random.likely_sizes(spatial, 0),
        dilation: calls.random.likely_sizes(spatial, 1),
        groups: if calls.random.chance(80) { 1 } else { calls.random.number(3) },
    };
    let channels = x.shape.get(1).copied().unwrap_or(1);
    let kernel: Vec<usize> = (0..spatial).map(|_| 1 + calls.random.below(2)).collect();
    let per_group = channels.checked_div(options.groups).unwrap_or(1);
    let out = calls.random.below(3).saturating_mul(options.groups);
    let shape = [out, per_group].into_iter().chain(kernel).collect();
    let weight = calls.exactly(shape, x.dtype);
    let bias = calls.flag().then(|| calls.exactly([out].into(), x.dtype));
    ConvArgs { x, weight, bias, options }
}

/// Draws a convolution with the gradient of its result.
fn random_specs(calls: &mut Calls<'_>) -> ConvSpecs {
    let args = random(calls);
    let ConvArgs { x, weight, options, .. } = args.clone();
    let conv = Operation::Convolution(Convolution::Conv(Box::new(args)));
    let shape = output_specs(&conv).map_or_else(|_| x.shape.clone(), |specs| specs.first().shape.clone());
    let grad = calls.exactly(shape, x.dtype);
    ConvSpecs { x, weight, options, grad }
}

fn random_target(calls: &mut Calls<'_>, shape: &Shape) -> Shape {
    match calls.random.below(10) {
        0 => calls.random.numbers(shape.rank(), 4).into(),
        1 => calls.shape_like(shape),
        _ => shape.clone(),
    }
}
