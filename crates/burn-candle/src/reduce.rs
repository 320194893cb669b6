//! Reductions.

use crate::binary::binary;
use crate::element::{Float, Number};
use crate::library::Core;
use crate::memory::in_order;
use crate::rows::{by_row, count, moved_last};
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{CandleDevice, cast, create, host};
use burn_backend::{
    BinaryOp, DType, Dims, HasSpec, Operation, ReduceOp, Reduction, Scalar, Shape, TensorSpec,
};
use burn_library_backend::Int;
use burn_library_backend::{Kernels, result, with_float, with_int};
use candle_core::{Result, Tensor};

pub fn reduce(op: ReduceOp, x: CandleTensor, dims: Dims) -> CandleTensor {
    let dtype = x.dtype();
    if is_half(dtype) {
        return cast::cast(reduce(op, cast::cast(x, DType::F32), dims), dtype);
    }
    match op {
        ReduceOp::Sum if dtype.is_float() => sum(x, &dims),
        ReduceOp::Mean => {
            let (count, device) = (count(&x, &dims), x.device());
            let divisor = TensorSpec::new(Shape::new([]), dtype);
            let divisor = create::full(divisor, Scalar::from(count), device);
            binary(BinaryOp::Div, sum(x, &dims), divisor)
        }
        ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min | ReduceOp::Any | ReduceOp::All => {
            folded(op, x, &dims)
        }
    }
}

/// Candle's sum. It adds in another order where elements lie otherwise, so they are put in order: views have
/// the sums of their copies.
fn sum(x: CandleTensor, dims: &Dims) -> CandleTensor {
    if count(&x, dims) > LONG && x.device() == CandleDevice::Cpu {
        return long_sum(x, dims);
    }
    let spec =
        result(&Operation::Reduction(Reduction::Reduce { op: ReduceOp::Sum, x: &x, dims: dims.clone() }));
    Core::run("sum", x.device(), spec, || in_order(x.candle())?.sum_keepdim(dims.to_vec()))
}

/// Number of elements from which sums are made by [`long_sum`].
const LONG: usize = 1 << 16;

/// Sums in `f64`. Candle adds `f32` one after the other on a processor, which ends at 2^24 for ones, and
/// loses digits long before.
fn long_sum(x: CandleTensor, dims: &Dims) -> CandleTensor {
    let (dtype, size) = (x.dtype(), count(&x, dims));
    let spec =
        result(&Operation::Reduction(Reduction::Reduce { op: ReduceOp::Sum, x: &x, dims: dims.clone() }));
    let shape = spec.shape.clone();
    Core::own("sum", [&x], spec, |[x]| {
        let rows = moved_last(&x, dims)?;
        with_float!(dtype, E => sums::<E>(&rows, size, &shape))
    })
}

fn sums<E: Float>(rows: &Tensor, size: usize, shape: &Shape) -> Result<Tensor> {
    let values = by_row::<E, E>(rows, size, 1, |row, out| {
        let mut lanes = [0.0_f64; 8];
        for part in row.chunks(lanes.len()) {
            for (lane, &x) in lanes.iter_mut().zip(part) {
                *lane += E::load(x).to_f64();
            }
        }
        out[0] = E::from_f64(lanes.iter().sum()).store();
    })?;
    host::make::<E>(values, shape)
}

fn folded(op: ReduceOp, x: CandleTensor, dims: &Dims) -> CandleTensor {
    let (dtype, size) = (x.dtype(), count(&x, dims));
    let spec = result(&Operation::Reduction(Reduction::Reduce { op, x: &x, dims: dims.clone() }));
    let shape = spec.shape.clone();
    if size == 0 {
        let identity = if matches!(op, ReduceOp::Prod | ReduceOp::All) { 1 } else { 0 };
        return create::full(spec, Scalar::Int(identity), x.device());
    }
    Core::own(op.name(), [&x], spec, |[x]| {
        let rows = moved_last(&x, dims)?;
        match dtype {
            DType::Bool => bools(op, &rows, size, &shape),
            DType::F64 | DType::F32 | DType::F16 | DType::BF16 => {
                with_float!(dtype, E => floats::<E>(op, &rows, size, &shape))
            }
            DType::I64 | DType::I32 | DType::I16 | DType::I8 => {
                with_int!(dtype, E => ints::<E>(op, &rows, size, &shape))
            }
            DType::U64 | DType::U32 | DType::U16 | DType::U8 => {
                with_int!(dtype, E => ints::<E>(op, &rows, size, &shape))
            }
        }
    })
}

/// Folds every row, from its first element on.
fn fold<E: Number>(
    rows: &Tensor,
    size: usize,
    shape: &Shape,
    f: impl Fn(E, E) -> E + Sync,
) -> Result<Tensor> {
    let values = by_row::<E, E>(rows, size, 1, |row, out| {
        let folded = row.iter().map(|&x| E::load(x)).reduce(&f);
        out[0] = folded.unwrap_or_default().store();
    })?;
    host::make::<E>(values, shape)
}

fn floats<E: Float>(op: ReduceOp, rows: &Tensor, size: usize, shape: &Shape) -> Result<Tensor> {
    #[allow(clippy::eq_op, reason = "a number that is not equal to itself is NaN")]
    match op {
        ReduceOp::Max => fold(rows, size, shape, |x: E, y: E| if x > y || x != x { x } else { y }),
        ReduceOp::Min => fold(rows, size, shape, |x: E, y: E| if x < y || x != x { x } else { y }),
        ReduceOp::Prod | ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Any | ReduceOp::All => {
            fold(rows, size, shape, |x: E, y: E| E::from_sum(x.to_sum() * y.to_sum()))
        }
    }
}

fn ints<E: Int + Number>(op: ReduceOp, rows: &Tensor, size: usize, shape: &Shape) -> Result<Tensor> {
    let low = |x: E| x.wide() as i64;
    match op {
        ReduceOp::Max => fold(rows, size, shape, |x: E, y: E| if x > y { x } else { y }),
        ReduceOp::Min => fold(rows, size, shape, |x: E, y: E| if x < y { x } else { y }),
        ReduceOp::Prod => {
            fold(rows, size, shape, |x: E, y: E| E::wrapped(low(x).wrapping_mul(low(y)).into()))
        }
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Any | ReduceOp::All => {
            fold(rows, size, shape, |x: E, y: E| E::wrapped(low(x).wrapping_add(low(y)).into()))
        }
    }
}

fn bools(op: ReduceOp, rows: &Tensor, size: usize, shape: &Shape) -> Result<Tensor> {
    match op {
        ReduceOp::All => fold(rows, size, shape, |x: bool, y: bool| x & y),
        ReduceOp::Any | ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => {
            fold(rows, size, shape, |x: bool, y: bool| x | y)
        }
    }
}
