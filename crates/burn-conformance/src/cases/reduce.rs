use super::{Emit, LARGE, is_large, numbers};
use crate::Case;
use crate::input::{Input, MemoryLayout, list, ordinary, spread};
use crate::values::classes;
use burn_backend::{CumulativeOp, DType, Dims, Operation, ReduceOp, Reduction, Shape};

/// Values whose reductions stay in range: around 1 for products of floats.
fn operand(op: ReduceOp, shape: &Shape, dtype: DType) -> Input {
    if op == ReduceOp::Prod { spread(shape, dtype, 0.7, 1.3) } else { ordinary(shape, dtype) }
}

pub fn reduce(emit: Emit<'_>) {
    for op in ReduceOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&dtype| op.accepts(dtype)) {
            small(op, dtype, emit);
            special(op, dtype, emit);
            large(op, dtype, emit);
        }
    }
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

pub fn cumulative(emit: Emit<'_>) {
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
                    emit(Case::new(name, dtype, Operation::Reduction(Reduction::Cumulative { op, x, dim })));
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
