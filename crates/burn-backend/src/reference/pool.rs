//! Pools as reductions over the elements of windows.

use super::precision::{narrow, wide};
use super::window::Windows;
use crate::{Backend, ops};
use alloc::vec::Vec;
use burn_ir::{
    DType, Dims, Extremum, HasSpec, IndexUpdate, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Scalar,
    Shape, TensorSpec,
};

/// Returns the sizes of a pool of `x`.
fn pooled(x: &Shape, options: &PoolOptions) -> Dims {
    let size = |d: usize| options.output_size(d, x[d + 2]).expect("a window fits");
    (0..options.kernel.len()).map(size).collect()
}

fn windows(x: &Shape, options: &PoolOptions) -> Windows {
    let PoolOptions { kernel, stride, padding, dilation } = options;
    Windows::sliding(&x[2..], kernel, &pooled(x, options), [stride, padding, dilation])
}

/// Returns `[batch, channels]` of `x` with these spatial sizes.
fn with_sizes(x: &Shape, sizes: &[usize]) -> Shape {
    x[..2].iter().chain(sizes).copied().collect()
}

/// Returns the divisor of the mean of each window.
fn divisors(count_include_pad: bool, windows: &Windows) -> Vec<usize> {
    if count_include_pad { alloc::vec![windows.taps; windows.outputs] } else { windows.counts() }
}

/// See [`PoolArgs`].
pub fn pool<B: Backend>(args: PoolArgs<B::Tensor>) -> B::Tensor {
    let PoolArgs { kind, x, options } = args;
    match kind {
        PoolKind::Max => max_pool_with_indices::<B>(x, options, DType::I64).0,
        PoolKind::Avg { count_include_pad } => {
            let shape = x.shape();
            let windows = windows(&shape, &options);
            let divisors = divisors(count_include_pad, &windows);
            averages::<B>(x, &windows, &divisors, with_sizes(&shape, &pooled(&shape, &options)))
        }
    }
}

/// See [`PoolGradArgs`].
pub fn pool_grad<B: Backend>(args: PoolGradArgs<B::Tensor>) -> B::Tensor {
    let PoolGradArgs { kind, grad, x, target, options } = args;
    match (kind, x) {
        (PoolKind::Max, Some(x)) => {
            let places = max_pool_with_indices::<B>(x, options, DType::I64).1;
            to_places::<B>(grad, places, target)
        }
        (PoolKind::Max, None) => unreachable!("the gradient of a maximum needs the input"),
        (PoolKind::Avg { count_include_pad }, _) => {
            let windows = windows(&target, &options);
            let divisors = divisors(count_include_pad, &windows);
            shares::<B>(grad, &windows, &divisors, &target)
        }
    }
}

/// Computes the maximum of each window, of equal elements the first, and its index in the flattened spatial
/// dimensions.
pub fn max_pool_with_indices<B: Backend>(
    x: B::Tensor,
    options: PoolOptions,
    index: DType,
) -> (B::Tensor, B::Tensor) {
    let (shape, dtype, device) = (x.shape(), x.dtype(), B::device(&x));
    let windows = windows(&shape, &options).repeated();
    let (values, taps) = B::reduce_with_indices(Extremum::Max, windows.read::<B>(x), 2, DType::I64);
    let all = Shape::from([shape[0], shape[1], windows.taps, windows.outputs]);
    let places = B::reshape(windows.index::<B>(&device), [1, 1, windows.taps, windows.outputs].into());
    let places = B::gather(B::expand(places, all), 2, taps);
    let result = with_sizes(&shape, &pooled(&shape, &options));
    let [values, places] = [values, places].map(|x| B::reshape(x, result.clone()));
    (narrow::<B>(values, dtype), narrow::<B>(places, index))
}

/// Computes the mean of each of the windows that share `x` evenly between `size`.
pub fn adaptive_avg_pool<B: Backend>(x: B::Tensor, size: Dims) -> B::Tensor {
    let shape = x.shape();
    let windows = Windows::adaptive(&shape[2..], &size);
    averages::<B>(x, &windows, &windows.counts(), with_sizes(&shape, &size))
}

/// Computes the gradient of [`adaptive_avg_pool`]: each element of `grad` is distributed equally over its
/// window.
pub fn adaptive_avg_pool_grad<B: Backend>(grad: B::Tensor, target: Shape) -> B::Tensor {
    let windows = Windows::adaptive(&target[2..], &grad.spec().shape[2..]);
    shares::<B>(grad, &windows, &windows.counts(), &target)
}

/// Computes the sums of the windows divided by `divisors`.
fn averages<B: Backend>(x: B::Tensor, windows: &Windows, divisors: &[usize], result: Shape) -> B::Tensor {
    let (dtype, device) = (x.dtype(), B::device(&x));
    let sums = ops::sum_dims::<B>(windows.read::<B>(x), Dims::from([2]));
    let divisors = windows.numbers::<B>(divisors, sums.dtype(), &device);
    narrow::<B>(B::reshape(ops::div::<B>(sums, divisors), result), dtype)
}

/// Computes the gradient of [`averages`].
fn shares<B: Backend>(grad: B::Tensor, windows: &Windows, divisors: &[usize], target: &Shape) -> B::Tensor {
    let (dtype, device) = (grad.dtype(), B::device(&grad));
    let grad = B::reshape(wide::<B>(grad), [target[0], target[1], 1, windows.outputs].into());
    let divisors = windows.numbers::<B>(divisors, grad.dtype(), &device);
    let all = Shape::from([target[0], target[1], windows.taps, windows.outputs]);
    let share = B::expand(ops::div::<B>(grad, divisors), all);
    narrow::<B>(windows.add::<B>(share, target), dtype)
}

/// Adds each element of `grad` at its index in the flattened spatial dimensions of `target`.
fn to_places<B: Backend>(grad: B::Tensor, places: B::Tensor, target: Shape) -> B::Tensor {
    let (dtype, shape) = (grad.dtype(), grad.shape());
    let flat = Shape::from([shape[0], shape[1], shape[2..].iter().product()]);
    let [grad, places] = [wide::<B>(grad), places].map(|x| B::reshape(x, flat.clone()));
    let zeros = TensorSpec::new(flat.with(2, target[2..].iter().product()), grad.dtype());
    let zeros = B::full(zeros, Scalar::Int(0), &B::device(&grad));
    let sums = B::scatter(zeros, 2, places, grad, IndexUpdate::Add);
    narrow::<B>(B::reshape(sums, target), dtype)
}
