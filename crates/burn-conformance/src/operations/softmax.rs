//! Softmax and its logarithm.

use super::*;

/// Checks of [`Family::Softmax`].
pub struct SoftmaxChecks;

impl SoftmaxChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize) -> Outputs<Expected> {
        softmax(x, dim).into()
    }
}

impl OperationChecks for SoftmaxChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, x, dim| {
            emit(Case::new(name, dtype, Operation::Normalization(Normalization::Softmax { x, dim })))
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let last = 1;
        [dim, last].map(|dim| Operation::Normalization(Normalization::Softmax { x: x.clone(), dim })).into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        vec![
            call("rows", Operation::Normalization(Normalization::Softmax { x: signed([3, 4]), dim: 1 })),
            call("columns", Operation::Normalization(Normalization::Softmax { x: signed([3, 4]), dim: 0 })),
        ]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.float();
        let dim = calls.dim(&x);
        Operation::Normalization(Normalization::Softmax { x, dim })
    }

    fn folding(&self, random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let (x, dim) = (x.clone(), random.below(x.shape.rank()));
        vec![Operation::Normalization(Normalization::Softmax { x, dim })]
    }
}

/// Checks of [`Family::LogSoftmax`].
pub struct LogSoftmaxChecks;

impl LogSoftmaxChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize) -> Outputs<Expected> {
        log_softmax(x, dim).into()
    }
}

impl OperationChecks for LogSoftmaxChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, x, dim| {
            emit(Case::new(name, dtype, Operation::Normalization(Normalization::LogSoftmax { x, dim })))
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let last = 1;
        [dim, last]
            .map(|dim| Operation::Normalization(Normalization::LogSoftmax { x: x.clone(), dim }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        vec![
            call("rows", Operation::Normalization(Normalization::LogSoftmax { x: signed([3, 4]), dim: 1 })),
            call(
                "columns",
                Operation::Normalization(Normalization::LogSoftmax { x: signed([3, 4]), dim: 0 }),
            ),
        ]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.float();
        let dim = calls.dim(&x);
        Operation::Normalization(Normalization::LogSoftmax { x, dim })
    }

    fn folding(&self, random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let (x, dim) = (x.clone(), random.below(x.shape.rank()));
        vec![Operation::Normalization(Normalization::LogSoftmax { x, dim })]
    }
}

fn sweep(mut f: impl FnMut(String, DType, Input, usize)) {
    for dtype in floats() {
        let shapes: [(Shape, usize); 11] = [
            ([2, 0, 3].into(), 0),
            ([2, 0, 3].into(), 1),
            ([37].into(), 0),
            ([1].into(), 0),
            ([5, 9].into(), 0),
            ([5, 9].into(), 1),
            ([3, 4, 5].into(), 1),
            ([2, 3, 4, 5].into(), 3),
            ([0, 3].into(), 0),
            ([0, 3].into(), 1),
            ([3, 1].into(), 1),
        ];
        for (shape, dim) in shapes {
            for layout in MemoryLayout::ALL {
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                f(format!("{shape:?} along {dim}, {layout:?}"), dtype, x, dim);
            }
        }
        let class =
            |values: &[f64]| list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), dtype);
        let inf = f64::INFINITY;
        f("large values".into(), dtype, class(&[1000.0, 999.0, 1001.0, 0.0]), 0);
        // Where it is made of parts, `x - max` is rounded to the dtype, and that error grows with the
        // distance.
        let far = if dtype.size() == 2 { 9.0 } else { 90.0 };
        f("far apart".into(), dtype, spread([64], dtype, -far, far), 0);
        f("some -inf".into(), dtype, class(&[0.5, -inf, 1.0, -inf]), 0);
        f("nothing but -inf".into(), dtype, class(&[-inf, -inf]), 0);
        f("NaN".into(), dtype, class(&[0.5, f64::NAN, 1.0]), 0);
        f("inf".into(), dtype, class(&[0.5, inf, 1.0]), 0);
    }
    for dim in 0..2 {
        f(format!("large, along {dim}"), DType::F32, ordinary([260, 271], DType::F32), dim);
    }
}

/// `f(x, largest, sum of e^(x - largest))` of each element, the latter two along `dim`.
fn lines(x: &Array, dim: usize, f: impl Fn(f64, f64, f64) -> f64) -> Array {
    let mut out = x.clone();
    let size = x.shape()[dim];
    for line in indices(&x.shape().with(dim, size.min(1))) {
        let row: Vec<f64> = (0..size).map(|k| x.at(&replace(&line, dim, k)).to_f64()).collect();
        let largest = ReduceOp::Max.eval_f64(&row);
        let sum = row.iter().map(|x| (x - largest).exp()).sum();
        for (k, &value) in row.iter().enumerate() {
            *out.at_mut(&replace(&line, dim, k)) = Number::Float(f(value, largest, sum));
        }
    }
    out
}

pub fn softmax(x: &Array, dim: usize) -> Expected {
    let array = lines(x, dim, |x, largest, sum| (x - largest).exp() / sum);
    Expected { array, tolerance: tolerance::softmax(x.dtype(), x.shape()[dim]) }
}

pub fn log_softmax(x: &Array, dim: usize) -> Expected {
    let array = lines(x, dim, |x, largest, sum| x - largest - sum.ln());
    let finite = x.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite());
    let size = finite.fold(0.0, f64::max);
    Expected { array, tolerance: tolerance::log_softmax(x.shape()[dim], size) }
}
