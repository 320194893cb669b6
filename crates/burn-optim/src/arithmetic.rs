//! Arithmetic of update rules and of clipping, in place where an operand is not shared.

use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{
    Backend, BinaryOp, DType, HasSpec, ReduceOp, Scalar, Shape, TensorData, UnaryOp, block_on,
};

pub use burn_backend::ops::{add, mul};

pub fn scale(x: DynamicTensor, factor: f64) -> DynamicTensor {
    Dynamic::binary_scalar(BinaryOp::Mul, x, Scalar::Float(factor))
}

pub fn square(x: DynamicTensor) -> DynamicTensor {
    Dynamic::unary(UnaryOp::Square, x)
}

pub fn sqrt(x: DynamicTensor) -> DynamicTensor {
    Dynamic::unary(UnaryOp::Sqrt, x)
}

/// Computes `max(x, min)`.
pub fn at_least(x: DynamicTensor, min: f64) -> DynamicTensor {
    Dynamic::clamp(x, Some(Scalar::Float(min)), None)
}

/// Reduces all dimensions; each is kept with size 1.
pub fn reduce_all(op: ReduceOp, x: DynamicTensor) -> DynamicTensor {
    let dims = (0..x.spec().shape.rank()).collect();
    Dynamic::reduce(op, x, dims)
}

/// Computes the sum of squares, of half-precision numbers in `f32`, where squares of gradients neither
/// overflow nor vanish; every dimension is kept with size 1.
pub fn sum_of_squares(x: DynamicTensor) -> DynamicTensor {
    reduce_all(ReduceOp::Sum, square(widened(x)))
}

/// Computes the 2-norm as [`sum_of_squares`] does; every dimension is kept with size 1.
pub fn norm(x: DynamicTensor) -> DynamicTensor {
    sqrt(sum_of_squares(x))
}

/// Computes the root mean square, of half-precision numbers in `f32`; every dimension is kept with size 1.
pub fn root_mean_square(x: DynamicTensor) -> DynamicTensor {
    sqrt(reduce_all(ReduceOp::Mean, square(widened(x))))
}

/// Returns half-precision numbers in `f32`.
pub fn widened(x: DynamicTensor) -> DynamicTensor {
    if is_half(x.dtype()) { Dynamic::cast(x, DType::F32) } else { x }
}

/// Returns whether `dtype` is one of the half-precision floats.
pub fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Returns `x` in `dtype`.
pub fn cast(x: DynamicTensor, dtype: DType) -> DynamicTensor {
    if x.dtype() == dtype { x } else { Dynamic::cast(x, dtype) }
}

/// Returns the tensor with one element as one of `rank` dimensions.
pub fn with_rank(x: DynamicTensor, rank: usize) -> DynamicTensor {
    let ones: Shape = core::iter::repeat_n(1, rank).collect();
    if x.spec().shape == ones { x } else { Dynamic::reshape(x, ones) }
}

/// Reads a tensor. Waits for the device.
///
/// # Panics
/// The device failed, or this thread cannot wait for it.
#[track_caller]
pub fn read(x: DynamicTensor) -> TensorData {
    match block_on(Dynamic::into_data(x)) {
        Ok(Ok(data)) => data,
        Ok(Err(error)) => panic!("optimizer: a tensor cannot be read: {error}"),
        Err(_pending) => panic!("optimizer: this thread cannot wait for the device"),
    }
}

/// Reads the only element of a tensor. Waits for the device.
///
/// # Panics
/// As [`read`].
#[track_caller]
pub fn read_scalar(x: DynamicTensor) -> f64 {
    read(x).to_f64()[0]
}
