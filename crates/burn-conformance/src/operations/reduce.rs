//! Reductions along dimensions, and running ones.

use super::order::RandomArgs;
use super::*;

/// Checks of [`Family::Reduce`].
pub struct ReduceChecks;

impl ReduceChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &ReduceOp, x: &Array, dims: &Dims) -> Outputs<Expected> {
        reduce(op, x, dims).into()
    }
}

impl OperationChecks for ReduceChecks {
    fn cases(&self, emit: Emit<'_>) {
        for op in ReduceOp::ALL {
            for dtype in DType::ALL.into_iter().filter(|&dtype| op.accepts(dtype)) {
                small(op, dtype, emit);
                special(op, dtype, emit);
                large(op, dtype, emit);
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        ReduceOp::ALL
            .into_iter()
            .flat_map(|op| {
                [&[0][..], &[1], &[0, 1]].map(|dims| {
                    Operation::Reduction(Reduction::Reduce { op, x: x.clone(), dims: dims.into() })
                })
            })
            .collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        ReduceOp::ALL.into_iter().flat_map(gradients_of_reduce).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, .. } = RandomArgs::new(calls);
        let op = calls.random.pick(&ReduceOp::ALL);
        Operation::Reduction(Reduction::Reduce { op, dims: calls.dims(&x), x })
    }

    fn special(&self, subject: &Subject, report: &mut Report<'_>) {
        crate::special::half_precision::check(subject, report);
        crate::special::long_sums::reduce(subject, report);
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let reduce =
            |op, x: &[f64]| Operation::Reduction(Reduction::Reduce { op, x: values(x), dims: [0].into() });
        vec![
            ("equal maxima share", reduce(ReduceOp::Max, &[1.0, 3.0, 3.0]), vec![0.0, 0.5, 0.5]),
            ("equal minima share", reduce(ReduceOp::Min, &[1.0, 3.0, 1.0]), vec![0.5, 0.0, 0.5]),
            ("one zero in a product", reduce(ReduceOp::Prod, &[2.0, 0.0, 3.0]), vec![0.0, 6.0, 0.0]),
            ("two zeros in a product", reduce(ReduceOp::Prod, &[2.0, 0.0, 0.0]), vec![0.0, 0.0, 0.0]),
        ]
    }

    fn folding(&self, random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let ops = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::Mean];
        let ops = if x.dtype.is_float() { &ops[..] } else { &ops[..4] };
        let other = random.pick(ops);
        // Sums twice: the order of their additions shows.
        let mut call = |op| {
            let dims: Dims = (0..x.shape.rank()).filter(|_| random.chance(60)).collect();
            let one = Dims::from([random.below(x.shape.rank())]);
            let (x, dims) = (x.clone(), if dims.is_empty() { one } else { dims });
            Operation::Reduction(Reduction::Reduce { op, x, dims })
        };
        vec![call(ReduceOp::Sum), call(ReduceOp::Sum), call(other)]
    }
}

/// Checks of [`Family::Cumulative`].
pub struct CumulativeChecks;

impl CumulativeChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &CumulativeOp, x: &Array, &dim: &usize) -> Outputs<Expected> {
        cumulative(op, x, dim).into()
    }
}

impl OperationChecks for CumulativeChecks {
    fn cases(&self, emit: Emit<'_>) {
        for op in CumulativeOp::ALL {
            for dtype in numbers() {
                let shapes: [(Shape, usize); 10] = [
                    ([2, 0, 3].into(), 1),
                    ([2, 0, 3].into(), 2),
                    ([37].into(), 0),
                    ([5, 9].into(), 0),
                    ([5, 9].into(), 1),
                    ([3, 4, 5].into(), 1),
                    ([3, 4, 5].into(), 2),
                    ([0, 3].into(), 0),
                    ([0, 3].into(), 1),
                    ([70, 2].into(), 0),
                ];
                for (shape, dim) in shapes {
                    for layout in MemoryLayout::ALL {
                        let x = operand(op.prefix(), &shape, dtype).laid_out(layout);
                        let name = format!("{shape:?} along {dim}, {layout:?}");
                        emit(Case::new(
                            name,
                            dtype,
                            Operation::Reduction(Reduction::Cumulative { op, x, dim }),
                        ));
                    }
                }
                if dtype.is_float() && matches!(op, CumulativeOp::Max | CumulativeOp::Min) {
                    let mut x = ordinary([2, 9], dtype).array();
                    x.values[4] = crate::number::Number::Float(f64::NAN);
                    let x = Input::new(x.to_data());
                    emit(Case::new(
                        "NaN in the middle",
                        dtype,
                        Operation::Reduction(Reduction::Cumulative { op, x, dim: 1 }),
                    ));
                }
                if dtype.is_int() {
                    let extremes = classes(dtype).remove(1);
                    let x = list(&extremes.values, dtype);
                    emit(Case::new(
                        extremes.name,
                        dtype,
                        Operation::Reduction(Reduction::Cumulative { op, x, dim: 0 }),
                    ));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let last = 1;
        CumulativeOp::ALL
            .into_iter()
            .flat_map(|op| {
                [dim, last].map(|dim| Operation::Reduction(Reduction::Cumulative { op, x: x.clone(), dim }))
            })
            .collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        CumulativeOp::ALL.into_iter().flat_map(gradients_of_cumulative).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, .. } = RandomArgs::new(calls);
        Operation::Reduction(Reduction::Cumulative { op: calls.random.pick(&CumulativeOp::ALL), x, dim })
    }

    fn special(&self, subject: &Subject, report: &mut Report<'_>) {
        crate::special::long_sums::cumulative(subject, report);
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let cumulative =
            |op, x: &[f64]| Operation::Reduction(Reduction::Cumulative { op, x: values(x), dim: 0 });
        let maxima = cumulative(CumulativeOp::Max, &[1.0, 3.0, 3.0, 2.0]);
        let minima = cumulative(CumulativeOp::Min, &[3.0, 1.0, 2.0, 1.0]);
        let products = cumulative(CumulativeOp::Prod, &[2.0, 0.0, 3.0]);
        vec![
            ("a zero in running products", products, vec![1.0, 8.0, 0.0]),
            ("the latest running maximum", maxima, vec![1.0, 1.0, 2.0, 0.0]),
            ("the latest running minimum", minima, vec![1.0, 2.0, 0.0, 1.0]),
        ]
    }

    fn folding(&self, random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let (op, dim) = (random.pick(&CumulativeOp::ALL), random.below(x.shape.rank()));
        vec![Operation::Reduction(Reduction::Cumulative { op, x: x.clone(), dim })]
    }
}

/// Values whose reductions stay in range: around 1 for products of floats.
fn operand(op: ReduceOp, shape: &Shape, dtype: DType) -> Input {
    if op == ReduceOp::Prod { spread(shape, dtype, 0.7, 1.3) } else { ordinary(shape, dtype) }
}

fn small(op: ReduceOp, dtype: DType, emit: Emit<'_>) {
    let mut case = |shape: &[usize], dims: &[usize]| {
        let shape = Shape::from(shape);
        for layout in MemoryLayout::ALL {
            let x = operand(op, &shape, dtype).laid_out(layout);
            let name = format!("{shape:?} over {dims:?}, {layout:?}");
            emit(Case::new(
                name,
                dtype,
                Operation::Reduction(Reduction::Reduce { op, x, dims: Dims::from(dims) }),
            ));
        }
    };
    case(&[], &[]);
    case(&[1], &[0]);
    case(&[37], &[0]);
    [&[0][..], &[1], &[0, 1], &[1, 0], &[]].into_iter().for_each(|dims| case(&[5, 19], dims));
    for dims in [&[0][..], &[1], &[2], &[0, 2], &[1, 2], &[0, 1], &[0, 1, 2]] {
        case(&[3, 4, 5], dims);
    }
    case(&[2, 3, 4, 5], &[1, 3]);
    case(&[0, 3], &[1]);
    case(&[0, 3], &[]);
    case(&[2, 0, 3], &[0, 2]);
    case(&[3, 1, 2], &[1]);
    if op.has_identity() {
        case(&[0, 3], &[0]);
        case(&[2, 0, 3], &[0, 1, 2]);
    }
}

fn special(op: ReduceOp, dtype: DType, emit: Emit<'_>) {
    for class in classes(dtype) {
        // Sums of numbers near the largest depend on the order, when they are floats.
        if dtype.is_float() && class.name == "extremes" && !matches!(op, ReduceOp::Max | ReduceOp::Min) {
            continue;
        }
        let x = list(&class.values, dtype);
        // Short runs: a product of many large floats overflows in one order and not in another.
        let rows = if dtype.is_float() { class.values.len() / 2 } else { 1 };
        let shape = Shape::new([rows, class.values.len() / rows]);
        let x = Input::new(crate::number::write(&x.array().values, &shape, dtype));
        for layout in [MemoryLayout::Contiguous, MemoryLayout::Transposed] {
            let x = x.clone().laid_out(layout);
            let op = Operation::Reduction(Reduction::Reduce { op, x, dims: [1].into() });
            emit(Case::new(format!("{}, {layout:?}", class.name), dtype, op));
        }
    }
    if dtype.is_float() && matches!(op, ReduceOp::Max | ReduceOp::Min | ReduceOp::Sum) {
        for at in [0, 40, 99] {
            let mut x = ordinary([100], dtype).array();
            x.values[at] = crate::number::Number::Float(f64::NAN);
            let op =
                Operation::Reduction(Reduction::Reduce { op, x: Input::new(x.to_data()), dims: [0].into() });
            emit(Case::new(format!("NaN at {at} of 100"), dtype, op));
        }
    }
}

fn large(op: ReduceOp, dtype: DType, emit: Emit<'_>) {
    if !(is_large(op, ReduceOp::ALL, dtype) || dtype == DType::Bool) {
        return;
    }
    // The running product of so many numbers would leave the range.
    let list = if op == ReduceOp::Prod { 1_001 } else { LARGE };
    for (shape, dims) in [(vec![list], [0]), (vec![260, 271], [0]), (vec![260, 271], [1])] {
        let shape = Shape::from(shape);
        let x = operand(op, &shape, dtype);
        let name = format!("large, {shape:?} over {dims:?}");
        emit(Case::new(name, dtype, Operation::Reduction(Reduction::Reduce { op, x, dims: dims.into() })));
    }
}

/// A reduction of some numbers, and the sum of the magnitudes that were added on the way.
fn fold(op: ReduceOp, xs: &[Number], dtype: DType) -> (Number, f64) {
    let all = |op, first| xs.iter().fold(first, |x, &y| number::binary(op, x, y));
    let floats = || xs.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let magnitude: f64 = xs.iter().map(|x| x.to_f64().abs()).sum();
    if dtype.is_float() {
        let value = op.eval_f64(&floats());
        // A product of `n` numbers is as many roundings of itself.
        let magnitude = match op {
            ReduceOp::Prod => value.abs(),
            ReduceOp::Mean => magnitude / xs.len() as f64,
            ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::Any | ReduceOp::All => magnitude,
        };
        return (Number::Float(value), magnitude);
    }
    let value = match op {
        ReduceOp::Sum => all(BinaryOp::Add, Number::zero(dtype)),
        ReduceOp::Prod => all(BinaryOp::Mul, Number::of(1, dtype)),
        ReduceOp::Max => xs[1..].iter().fold(xs[0], |x, &y| number::binary(BinaryOp::Max, x, y)),
        ReduceOp::Min => xs[1..].iter().fold(xs[0], |x, &y| number::binary(BinaryOp::Min, x, y)),
        ReduceOp::Any | ReduceOp::All => Number::Bool(op.eval_f64(&floats()) != 0.0),
        ReduceOp::Mean => panic!("mean of {dtype}"),
    };
    (value, magnitude)
}

fn tolerance(op: ReduceOp, magnitudes: Vec<f64>, terms: usize) -> Tolerance {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod => Tolerance::Sum { magnitudes, terms },
        ReduceOp::Max | ReduceOp::Min | ReduceOp::Any | ReduceOp::All => Tolerance::RoundedAnyZero,
    }
}

fn reduce(op: ReduceOp, x: &Array, dims: &Dims) -> Expected {
    let rank = x.shape().rank();
    let outer: Shape = (0..rank).map(|d| if dims.contains(&d) { 1 } else { x.shape()[d] }).collect();
    let inner: Shape = (0..rank).map(|d| if dims.contains(&d) { x.shape()[d] } else { 1 }).collect();
    let mut magnitudes = Vec::new();
    let array = Array::build(outer, x.dtype(), |i| {
        let terms = indices(&inner).map(|k| x.at(&(0..rank).map(|d| i[d] + k[d]).collect::<Dims>()));
        let (value, magnitude) = fold(op, &terms.collect::<Vec<_>>(), x.dtype());
        magnitudes.push(magnitude);
        value
    });
    Expected { array, tolerance: tolerance(op, magnitudes, inner.num_elements()) }
}

fn cumulative(op: CumulativeOp, x: &Array, dim: usize) -> Expected {
    let mut magnitudes = Vec::new();
    let array = Array::build(x.shape().clone(), x.dtype(), |i| {
        let prefix: Vec<Number> = (0..=i[dim]).map(|k| x.at(&replace(i, dim, k))).collect();
        let (value, magnitude) = fold(op.prefix(), &prefix, x.dtype());
        magnitudes.push(magnitude);
        value
    });
    Expected { array, tolerance: tolerance(op.prefix(), magnitudes, x.shape()[dim]) }
}

fn gradients_of_reduce(op: ReduceOp) -> Vec<GradientCall> {
    if matches!(op, ReduceOp::Any | ReduceOp::All) {
        return vec![constant(
            "",
            Operation::Reduction(Reduction::Reduce { op, x: bool_values(&[0, 1], [2]), dims: [0].into() }),
        )];
    }
    let over = |dims: &[usize]| {
        let op = Operation::Reduction(Reduction::Reduce { op, x: signed([2, 3, 2]), dims: Dims::from(dims) });
        call(format!("over {dims:?}"), op)
    };
    let mut calls = vec![over(&[0]), over(&[1]), over(&[2]), over(&[0, 2]), over(&[0, 1, 2]), over(&[])];
    if op == ReduceOp::Prod {
        for zeros in [vec![1], vec![0, 2]] {
            let mut array = signed([2, 3]).array();
            zeros.iter().for_each(|&at| array.values[at] = Number::Float(0.0));
            let op = Operation::Reduction(Reduction::Reduce {
                op,
                x: Input::new(array.to_data()),
                dims: [1].into(),
            });
            calls.push(call(format!("with zeros at {zeros:?}"), op));
        }
    }
    calls
}

fn gradients_of_cumulative(op: CumulativeOp) -> Vec<GradientCall> {
    let along = |dim| {
        call(
            format!("along {dim}"),
            Operation::Reduction(Reduction::Cumulative { op, x: signed([3, 4]), dim }),
        )
    };
    let mut calls = vec![along(0), along(1)];
    if op == CumulativeOp::Prod {
        let mut array = signed([2, 4]).array();
        array.values[1] = Number::Float(0.0);
        let op = Operation::Reduction(Reduction::Cumulative { op, x: Input::new(array.to_data()), dim: 1 });
        calls.push(call("with a zero", op));
    }
    calls
}
