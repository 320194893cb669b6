use super::{B, Tensor};
use alloc::vec;
use burn_backend::TypedCalls;
use burn_backend::ops::mul;
use burn_backend::{Backend, Dims, FftOp, HasSpec, Shape, TensorData};

/// Transforms are linear, and each is the transpose of another: `size` is that of the transformed dimension
/// before.
pub fn backward(op: FftOp, grad: Tensor, size: usize, dim: usize) -> Tensor {
    match op {
        FftOp::Forward => B::fft(FftOp::Backward, grad, dim),
        FftOp::Backward => B::fft(FftOp::Forward, grad, dim),
        // The inverse of half a spectrum counts twice what stands for its conjugate too.
        FftOp::Real => B::fft(FftOp::Half { n: size }, weighted(grad, size, dim, 0.5), dim),
        FftOp::Half { n } => weighted(B::fft(FftOp::Real, grad, dim), n, dim, 2.0),
    }
}

/// Half of a spectrum of `n` elements, times `weight` where an element stands for its conjugate too.
fn weighted(half: Tensor, n: usize, dim: usize, weight: f64) -> Tensor {
    let mut weights = vec![weight; n / 2 + 1];
    weights[0] = 1.0;
    if n.is_multiple_of(2) {
        weights[n / 2] = 1.0;
    }
    let mut line = Dims::repeat(1, half.spec().shape.rank());
    line[dim] = weights.len();
    let weights = TensorData::new(weights, Shape::from(line)).convert_dtype(half.dtype());
    let weights = B::from_data(weights, &B::device(&half));
    mul::<B>(half, weights)
}
