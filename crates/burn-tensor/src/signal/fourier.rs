use crate::check::{check, ensure};
use crate::create::fits;
use crate::{AsDim, Tensor, TensorError};
use alloc::vec;
use burn_backend::{
    Backend, BinaryOp, FftOp, HasSpec, Operation, Scalar, Shape, Slice, Slices, Spectral, TensorSpec,
};
use burn_derive::fallible;

/// Computes the discrete Fourier transform of complex numbers along `dim`: `X[k] = sum over j of x[j] e^(-2
/// pi i j k / n)`.
///
/// `n` cuts the dimension, or fills it up with zeros, before it is transformed. Shapes: `[.., n, ..]` to
/// `[.., n, ..]`, real and imaginary parts. PyTorch: `torch.fft.fft`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, signal};
/// /// The inverse undoes the transform.
/// fn unchanged<B: Backend>(re: Tensor<B, 2>, im: Tensor<B, 2>) -> (Tensor<B, 2>, Tensor<B, 2>) {
///     let (re, im) = signal::fft(re, im, -1, None);
///     signal::ifft(re, im, -1, None)
/// }
/// ```
///
/// # Errors
/// When the parts differ in shape or dtype, `dim` does not exist, or there is nothing to transform.
#[fallible]
pub fn try_fft<B: Backend, const D: usize>(
    re: Tensor<B, D>,
    im: Tensor<B, D>,
    dim: impl AsDim,
    n: Option<usize>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    let dim = dim.resolve("fft", &re.spec().shape)?;
    let x = resized::<B>("fft", joined::<B>("fft", re.into_handle(), im.into_handle())?, dim, n)?;
    Ok(parts(transformed::<B>(FftOp::Forward, x, dim)?))
}

/// Computes the inverse of [`fft`]: `x[j] = 1 / n sum over k of X[k] e^(2 pi i j k / n)`.
///
/// `n` cuts the dimension, or fills it up with zeros, before it is transformed. PyTorch: `torch.fft.ifft`.
///
/// # Errors
/// When the parts differ in shape or dtype, `dim` does not exist, or there is nothing to transform.
#[fallible]
pub fn try_ifft<B: Backend, const D: usize>(
    re: Tensor<B, D>,
    im: Tensor<B, D>,
    dim: impl AsDim,
    n: Option<usize>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    let dim = dim.resolve("ifft", &re.spec().shape)?;
    let x = resized::<B>("ifft", joined::<B>("ifft", re.into_handle(), im.into_handle())?, dim, n)?;
    let size = x.spec().shape[dim];
    Ok(parts(divided::<B>(transformed::<B>(FftOp::Backward, x, dim)?, size)))
}

/// Computes [`fft`] of real numbers, without the redundant half: element `n - k` is the conjugate of element
/// `k`.
///
/// With `n`, the dimension is cut or padded with zeros before the transform. Shapes: `[.., n, ..]` to `[.., n
/// / 2 + 1, ..]`, real and imaginary parts. PyTorch: `torch.fft.rfft`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, signal};
/// fn power<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
///     let (re, im) = signal::rfft(x, -1, None);
///     re.clone() * re + im.clone() * im
/// }
/// ```
///
/// # Errors
/// When `dim` does not exist, or there is nothing to transform.
#[fallible]
pub fn try_rfft<B: Backend, const D: usize>(
    signal: Tensor<B, D>,
    dim: impl AsDim,
    n: Option<usize>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    let dim = dim.resolve("rfft", &signal.spec().shape)?;
    let x = resized::<B>("rfft", signal.into_handle(), dim, n)?;
    Ok(parts(transformed::<B>(FftOp::Real, x, dim)?))
}

/// Computes the inverse of [`rfft`]: `n` real numbers from the first half of their spectrum.
///
/// Half of a spectrum does not show whether `n` was even or odd; without `n` it is the even `2 (size - 1)`. A
/// spectrum that is longer or shorter than `n / 2 + 1` is cut, or filled up with zeros. The imaginary part of
/// element 0, and for an even `n` that of element `n / 2`, is 0 in every spectrum of real numbers and is not
/// read. Shapes: `[.., n / 2 + 1, ..]` to `[.., n, ..]`. PyTorch: `torch.fft.irfft`.
///
/// # Errors
/// When the parts differ in shape or dtype, `dim` does not exist, or `n` is 0.
#[fallible]
pub fn try_irfft<B: Backend, const D: usize>(
    re: Tensor<B, D>,
    im: Tensor<B, D>,
    dim: impl AsDim,
    n: Option<usize>,
) -> Result<Tensor<B, D>, TensorError> {
    let shape = &re.spec().shape;
    let dim = dim.resolve("irfft", shape)?;
    let n = n.unwrap_or_else(|| shape[dim].saturating_sub(1).saturating_mul(2));
    ensure!(
        n > 0,
        "irfft",
        "a transform needs at least one element; half a spectrum of {shape:?} gives none"
    );
    let x = resized::<B>(
        "irfft",
        joined::<B>("irfft", re.into_handle(), im.into_handle())?,
        dim,
        Some(n / 2 + 1),
    )?;
    let x = transformed::<B>(FftOp::Half { n }, x, dim)?;
    Ok(Tensor::from_handle(divided::<B>(x, n)))
}

/// Joins real and imaginary parts as pairs in a new last dimension.
#[track_caller]
fn joined<B: Backend>(op: &'static str, re: B::Tensor, im: B::Tensor) -> Result<B::Tensor, TensorError> {
    let (left, right) = (re.spec(), im.spec());
    ensure!(
        left == right,
        op,
        "the real part is {:?} of {}, the imaginary part {:?} of {}",
        left.shape,
        left.dtype,
        right.shape,
        right.dtype
    );
    let pair: Shape = left.shape.iter().copied().chain([1]).collect();
    let last = left.shape.rank();
    Ok(B::cat(vec![B::reshape(re, pair.clone()), B::reshape(im, pair)], last))
}

/// Splits pairs, the reverse of [`joined`].
fn parts<B: Backend, const D: usize>(pairs: B::Tensor) -> (Tensor<B, D>, Tensor<B, D>) {
    let sizes = &pairs.spec().shape;
    let shape: Shape = sizes[..sizes.rank() - 1].iter().copied().collect();
    let part = |x: B::Tensor, at: usize| {
        let mut slices: Slices = x.spec().shape.iter().map(|&size| Slice::from(0..size)).collect();
        slices[shape.rank()] = Slice::from(at..at + 1);
        Tensor::from_handle(B::reshape(B::slice(x, slices), shape.clone()))
    };
    (part(pairs.clone(), 0), part(pairs, 1))
}

/// Cuts `dim` to `n` elements, or pads it with zeros.
#[track_caller]
fn resized<B: Backend>(
    op: &'static str,
    x: B::Tensor,
    dim: usize,
    n: Option<usize>,
) -> Result<B::Tensor, TensorError> {
    let spec = x.spec();
    let size = spec.shape[dim];
    let Some(n) = n.filter(|&n| n != size) else { return Ok(x) };
    ensure!(n > 0, op, "a transform needs at least one element, found n = 0");
    if n < size {
        let mut slices: Slices = spec.shape.iter().map(|&size| Slice::from(0..size)).collect();
        slices[dim] = Slice::from(0..n);
        return Ok(B::slice(x, slices));
    }
    let whole = spec.shape.with(dim, n);
    fits(op, &whole, whole.rank(), spec.dtype)?;
    let zeros = TensorSpec { shape: spec.shape.with(dim, n - size), dtype: spec.dtype };
    let zeros = B::full(zeros, Scalar::Int(0), &B::device(&x));
    Ok(B::cat(vec![x, zeros], dim))
}

#[track_caller]
fn transformed<B: Backend>(op: FftOp, x: B::Tensor, dim: usize) -> Result<B::Tensor, TensorError> {
    check(&Operation::Spectral(Spectral::Fft { op, x: x.spec(), dim }))?;
    Ok(B::fft(op, x, dim))
}

fn divided<B: Backend>(x: B::Tensor, n: usize) -> B::Tensor {
    B::binary_scalar(BinaryOp::Mul, x, Scalar::Float(1.0 / n as f64))
}
