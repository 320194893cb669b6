use crate::check::{ensure, together};
use crate::promotion::all_promoted;
use crate::{Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::{Backend, DType, Dims, LayerNormArgs, PoolOptions, Shape};
use burn_derive::fallible;

/// Computes `x weight + bias` with one weight and one bias per index of `dim`.
#[track_caller]
fn affine<B: Backend, const D: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    dim: usize,
    weight: Option<Tensor<B, 1>>,
    bias: Option<Tensor<B, 1>>,
) -> Result<Tensor<B, D>, TensorError> {
    let x = match weight {
        Some(weight) => {
            let weight = along(operation, weight, &x, dim)?;
            x.try_mul(weight)?
        }
        None => x,
    };
    match bias {
        Some(bias) => {
            let bias = along(operation, bias, &x, dim)?;
            x.try_add(bias)
        }
        None => Ok(x),
    }
}

/// Returns the dtype that `x` and its weights are promoted to.
fn common<B: Backend, const D: usize>(x: &Tensor<B, D>, weights: &[&Option<Tensor<B, 1>>]) -> DType {
    weights.iter().copied().flatten().fold(x.dtype(), |dtype, weight| dtype.promote(weight.dtype()))
}

#[track_caller]
fn along<B: Backend, const D: usize>(
    operation: &'static str,
    values: Tensor<B, 1>,
    x: &Tensor<B, D>,
    dim: usize,
) -> Result<Tensor<B, D>, TensorError> {
    let ([count], shape) = (values.dims(), x.shape());
    ensure!(count == shape[dim], operation, "{count} numbers for dimension {dim} of {shape:?}");
    values.reshaped(Shape::from([1; D]).with(dim, count))
}

/// Applies layer normalization: `(x - mean) / sqrt(variance + epsilon) * weight + bias` over the last
/// dimension, with the biased variance (Ba et al., 2016). PyTorch: `torch.nn.functional.layer_norm`, of one
/// dimension.
///
/// # Errors
/// When the rank is 0, or the size of `weight` or `bias` is not that of the last dimension.
#[fallible]
pub fn try_layer_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    weight: Option<Tensor<B, 1>>,
    bias: Option<Tensor<B, 1>>,
    epsilon: f64,
) -> Result<Tensor<B, D>, TensorError> {
    ensure!(D >= 1, "layer_norm", "needs at least rank 1, found {:?}", x.shape());
    for list in [&weight, &bias].into_iter().flatten() {
        let ([count], shape, last) = (list.dims(), x.shape(), D - 1);
        ensure!(count == shape[last], "layer_norm", "{count} numbers for dimension {last} of {shape:?}");
    }
    let (scaled, shifted) = (weight.is_some(), bias.is_some());
    let lists = [weight, bias].into_iter().flatten().map(Tensor::into_handle);
    let operands = all_promoted::<B>(core::iter::once(x.into_handle()).chain(lists).collect());
    together::<B>("layer_norm", &operands[0], &operands.iter().collect::<Vec<_>>())?;
    let mut operands = operands.into_iter();
    let x = operands.next().expect("the first operand");
    let weight = if scaled { operands.next() } else { None };
    let bias = if shifted { operands.next() } else { None };
    Ok(Tensor::from_handle(B::layer_norm(LayerNormArgs { x, weight, bias, epsilon })))
}

/// Applies root mean square normalization: `x / sqrt(mean(x^2) + epsilon) * weight` over the last dimension
/// (Zhang and Sennrich, 2019). PyTorch: `torch.nn.functional.rms_norm`, of one dimension.
///
/// # Errors
/// When the rank is 0, or the size of `weight` is not that of the last dimension.
#[fallible]
pub fn try_rms_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    weight: Option<Tensor<B, 1>>,
    epsilon: f64,
) -> Result<Tensor<B, D>, TensorError> {
    ensure!(D >= 1, "rms_norm", "needs at least rank 1, found {:?}", x.shape());
    let (dtype, x) = (common(&x, &[&weight]), x.widened());
    // One division for each row: the elements are multiplied.
    let scale = x.clone().square().try_mean_dim(D - 1)?.try_add_scalar(epsilon)?.sqrt().recip();
    Ok(affine("rms_norm", x.try_mul(scale)?, D - 1, weight, None)?.rounded(dtype))
}

/// Applies group normalization to `[batch, channels, ..]`:
/// `(x - mean) / sqrt(variance + epsilon) * weight + bias`, with the mean and biased variance of each sample
/// and group of channels, and one weight and bias per channel (Wu and He, 2018). PyTorch:
/// `torch.nn.functional.group_norm`.
///
/// # Errors
/// When `groups` does not divide the number of channels, or the size of `weight` or `bias` is not that
/// number.
#[fallible]
pub fn try_group_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    groups: usize,
    weight: Option<Tensor<B, 1>>,
    bias: Option<Tensor<B, 1>>,
    epsilon: f64,
) -> Result<Tensor<B, D>, TensorError> {
    grouped("group_norm", x, groups, weight, bias, epsilon)
}

/// Applies instance normalization to `[batch, channels, ..]`: [`group_norm`] with one channel per group
/// (Ulyanov et al., 2016). PyTorch: `torch.nn.functional.instance_norm`.
///
/// # Errors
/// When the rank is below 2, or the size of `weight` or `bias` is not the number of channels.
#[fallible]
pub fn try_instance_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    weight: Option<Tensor<B, 1>>,
    bias: Option<Tensor<B, 1>>,
    epsilon: f64,
) -> Result<Tensor<B, D>, TensorError> {
    ensure!(D >= 2, "instance_norm", "needs at least rank 2, found {:?}", x.shape());
    let channels = x.shape()[1];
    grouped("instance_norm", x, channels, weight, bias, epsilon)
}

#[track_caller]
fn grouped<B: Backend, const D: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    groups: usize,
    weight: Option<Tensor<B, 1>>,
    bias: Option<Tensor<B, 1>>,
    epsilon: f64,
) -> Result<Tensor<B, D>, TensorError> {
    ensure!(D >= 2, operation, "needs at least rank 2, found {:?}", x.shape());
    let shape = x.shape();
    let (batch, channels) = (shape[0], shape[1]);
    ensure!(
        groups > 0 && channels.is_multiple_of(groups),
        operation,
        "{groups} groups of the {channels} channels of {shape:?}"
    );
    if shape.contains(&0) {
        return affine(operation, x, 1, weight, bias);
    }
    // A group is a row of the layer normalization, which is one operation forward and backward.
    let size = channels / groups * shape[2..].iter().product::<usize>();
    let x = try_layer_norm(x.try_reshape([batch * groups, size])?, None, None, epsilon)?;
    affine(operation, x.reshaped(shape)?, 1, weight, bias)
}

/// Applies batch normalization to `[batch, channels, ..]` with given statistics, as in evaluation:
/// `(x - mean) / sqrt(variance + epsilon) * weight + bias` per channel (Ioffe and Szegedy, 2015).
/// PyTorch: `torch.nn.functional.batch_norm(training=False)`.
///
/// # Errors
/// When the rank is below 2, or the size of an argument is not the number of channels.
#[fallible]
pub fn try_batch_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    mean: Tensor<B, 1>,
    variance: Tensor<B, 1>,
    weight: Option<Tensor<B, 1>>,
    bias: Option<Tensor<B, 1>>,
    epsilon: f64,
) -> Result<Tensor<B, D>, TensorError> {
    ensure!(D >= 2, "batch_norm", "needs at least rank 2, found {:?}", x.shape());
    let dtype = common(&x, &[&weight, &bias]).promote(mean.dtype()).promote(variance.dtype());
    let (x, mean, variance) = (x.widened(), mean.widened(), variance.widened());
    let mean = along("batch_norm", mean, &x, 1)?;
    let deviation = along("batch_norm", variance.try_add_scalar(epsilon)?.sqrt(), &x, 1)?;
    let x = x.try_sub(mean)?.try_div(deviation)?;
    Ok(affine("batch_norm", x, 1, weight, bias)?.rounded(dtype))
}

/// Applies local response normalization to `[batch, channels, ..]`: `x / (k + alpha * sum(x^2) / size)^beta`,
/// with the sum over a window of `size` channels, zero-padded at both ends (Krizhevsky et al., 2012).
/// PyTorch: `torch.nn.functional.local_response_norm`.
///
/// # Errors
/// When the rank is below 2, or `size` is 0.
#[fallible]
pub fn try_local_response_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    size: usize,
    alpha: f64,
    beta: f64,
    k: f64,
) -> Result<Tensor<B, D>, TensorError> {
    ensure!(D >= 2 && size > 0, "local_response_norm", "a window of {size} channels of {:?}", x.shape());
    let (shape, dtype, x) = (x.shape(), x.dtype(), x.widened());
    let (batch, channels, places) = (shape[0], shape[1], shape[2..].iter().product::<usize>());
    let squares = x.clone().square().try_reshape([batch, 1, channels, places])?;
    let squares = squares.try_pad([(size / 2, (size - 1) / 2), (0, 0)], 0.0)?;
    let window = PoolOptions { stride: Dims::from([1, 1]), ..PoolOptions::new(Dims::from([size, 1])) };
    let around = squares.try_avg_pool(window, true)?.reshaped(shape)?;
    let scale = around.try_mul_scalar(alpha)?.try_add_scalar(k)?.try_powf_scalar(beta)?;
    Ok(x.try_div(scale)?.rounded(dtype))
}
