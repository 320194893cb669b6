//! Interpolation as a sum of selections, one dimension after the other.

use super::precision::{narrow, wide};
use crate::{Backend, ops};
use alloc::vec::Vec;
use burn_ir::{Dims, HasSpec, IndexUpdate, Interpolation, Scalar, Shape, Taps, TensorData, TensorSpec};

/// Returns the elements that each tap reads along `dim`, and their weights.
fn selections<B: Backend>(taps: &Taps, dim: usize, x: &B::Tensor) -> Vec<(B::Tensor, B::Tensor)> {
    let (dtype, device, outputs) = (x.dtype(), B::device(x), taps.sources.len() / taps.count);
    let along = Shape::from(Dims::repeat(1, x.spec().shape.rank())).with(dim, outputs);
    let of = |tap: usize| {
        let sources: Vec<i64> =
            taps.sources.iter().skip(tap).step_by(taps.count).map(|&i| i as i64).collect();
        let weights: Vec<f64> = taps.weights.iter().skip(tap).step_by(taps.count).copied().collect();
        let weights = TensorData::new(weights, along.clone()).convert_dtype(dtype);
        (B::from_data(TensorData::new(sources, [outputs]), &device), B::from_data(weights, &device))
    };
    (0..taps.count).map(of).collect()
}

/// [`TypedCalls::interpolate`](crate::TypedCalls::interpolate) by
/// [`TypedCalls::select`](crate::TypedCalls::select).
pub fn interpolate<B: Backend>(x: B::Tensor, size: &[usize], options: &Interpolation) -> B::Tensor {
    let dtype = x.dtype();
    let resample = |x: B::Tensor, (d, &output): (usize, &usize)| {
        let taps = options.taps(d, x.spec().shape[d + 2], output);
        let part = |(sources, weights)| ops::mul::<B>(B::select(x.clone(), d + 2, sources), weights);
        selections::<B>(&taps, d + 2, &x).into_iter().map(part).reduce(ops::add::<B>).unwrap_or(x.clone())
    };
    narrow::<B>(size.iter().enumerate().fold(wide::<B>(x), resample), dtype)
}

/// [`TypedCalls::interpolate_grad`](crate::TypedCalls::interpolate_grad) by
/// [`TypedCalls::select_assign`](crate::TypedCalls::select_assign).
pub fn interpolate_grad<B: Backend>(grad: B::Tensor, target: &Shape, options: &Interpolation) -> B::Tensor {
    let dtype = grad.dtype();
    let gather = |grad: B::Tensor, (d, &input): (usize, &usize)| {
        let taps = options.taps(d, input, grad.spec().shape[d + 2]);
        let zeros = TensorSpec::new(grad.spec().shape.with(d + 2, input), grad.dtype());
        let zeros = B::full(zeros, Scalar::Int(0), &B::device(&grad));
        selections::<B>(&taps, d + 2, &grad).into_iter().fold(zeros, |sum, (sources, weights)| {
            let part = ops::mul::<B>(grad.clone(), weights);
            B::select_assign(sum, d + 2, sources, part, IndexUpdate::Add)
        })
    };
    narrow::<B>(target[2..].iter().enumerate().fold(wide::<B>(grad), gather), dtype)
}
