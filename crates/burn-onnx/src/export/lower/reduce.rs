//! Reductions over dimensions, which stay with size 1.

use super::lowering::Lowering;
use crate::error::Outcome;
use crate::export::graph_writer::int;
use burn_capture::Value;
use burn_ir::{CumulativeOp, DType, Dims, Extremum, ReduceOp, Scalar, TensorData};

pub(super) fn reduce(to: &mut Lowering<'_>, op: ReduceOp, x: Value, dims: &Dims) -> String {
    let name = to.name(x);
    let axes: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
    let axes = to.writer.ints(&axes);
    let write = |to: &mut Lowering<'_>, operator: &str, name: &str| {
        to.op_with(operator, &[name, &axes], vec![int("keepdims", 1), int("noop_with_empty_axes", 1)])
    };
    let of_bools = |to: &mut Lowering<'_>, operator: &str| {
        let numbers = to.cast(&name, DType::I32);
        let reduced = write(to, operator, &numbers);
        to.cast(&reduced, DType::Bool)
    };
    match op {
        ReduceOp::Sum => write(to, "ReduceSum", &name),
        ReduceOp::Mean => write(to, "ReduceMean", &name),
        ReduceOp::Prod => write(to, "ReduceProd", &name),
        ReduceOp::Max => write(to, "ReduceMax", &name),
        ReduceOp::Min => write(to, "ReduceMin", &name),
        ReduceOp::Any => of_bools(to, "ReduceMax"),
        ReduceOp::All => of_bools(to, "ReduceMin"),
    }
}

pub(super) fn arg(to: &mut Lowering<'_>, op: Extremum, x: Value, dim: usize, index: DType) -> String {
    let name = to.name(x);
    let operator = match op {
        Extremum::Max => "ArgMax",
        Extremum::Min => "ArgMin",
    };
    let place = to.op_with(operator, &[&name], vec![int("axis", dim as i64), int("keepdims", 1)]);
    to.cast_from(place, DType::I64, index)
}

pub(super) fn with_indices(
    to: &mut Lowering<'_>,
    op: Extremum,
    x: Value,
    dim: usize,
    index: DType,
) -> Vec<String> {
    let value = match op {
        Extremum::Max => ReduceOp::Max,
        Extremum::Min => ReduceOp::Min,
    };
    vec![reduce(to, value, x, &Dims::repeat(dim, 1)), arg(to, op, x, dim, index)]
}

/// A running reduction. ONNX has that of sums; the others reduce all prefixes, which takes the square of the
/// dimension.
pub(super) fn cumulative(to: &mut Lowering<'_>, op: CumulativeOp, x: Value, dim: usize) -> Outcome<String> {
    let (name, dtype) = (to.name(x), to.dtype(x));
    let operator = match op {
        CumulativeOp::Sum => {
            let axis = to.writer.constant(TensorData::new([dim as i64], [0_usize; 0]));
            return Ok(to.op("CumSum", [&name, &axis]));
        }
        CumulativeOp::Prod => "ReduceProd",
        CumulativeOp::Max => "ReduceMax",
        CumulativeOp::Min => "ReduceMin",
    };
    let (size, rank) = (to.need_fixed_dim(x, dim)?, to.rank(x));
    let mut shape = vec![1; rank + 1];
    (shape[dim], shape[dim + 1]) = (size, size);
    let prefix: Vec<bool> = (0..size * size).map(|at| at % size <= at / size).collect();
    let prefix = to.writer.constant(TensorData::new(prefix, shape));
    let identity = match op {
        CumulativeOp::Prod | CumulativeOp::Sum => to.number(1.0, dtype),
        CumulativeOp::Max => lowest(to, dtype, f64::NEG_INFINITY),
        CumulativeOp::Min => lowest(to, dtype, f64::INFINITY),
    };
    let axis = to.writer.ints(&[dim as i64]);
    let rows = to.op("Unsqueeze", [&name, &axis]);
    let prefixes = to.op("Where", [&prefix, &rows, &identity]);
    let axis = to.writer.ints(&[dim as i64 + 1]);
    let reduced = to.op_with(operator, &[&prefixes, &axis], vec![int("keepdims", 0)]);
    Ok(reduced)
}

/// The number of the element type that is nearest to an infinity.
fn lowest(to: &mut Lowering<'_>, dtype: DType, infinity: f64) -> String {
    if dtype.is_float() {
        return to.number(infinity, dtype);
    }
    // 64 bits have no exact float.
    let (low, high) = dtype.int_range();
    let exact = match (dtype == DType::I64, dtype == DType::U64, infinity < 0.0) {
        (true, _, true) => Scalar::Int(i64::MIN),
        (true, _, false) => Scalar::Int(i64::MAX),
        (_, true, false) => Scalar::UInt(u64::MAX),
        (_, _, true) => Scalar::Int(low as i64),
        (_, _, false) => Scalar::Int(high as i64),
    };
    to.writer.scalar(exact, dtype)
}
