use crate::check::ensure;
use crate::create::fits;
use crate::in_operation::{expect_in_operation, try_in_operation};
use crate::{Int, Tensor, TensorError};
use burn_backend::{Backend, Scalar};

/// Computes the partial inverse of max pooling: writes each element of `x` to its index in the flattened last
/// `N` dimensions of a tensor of zeros, which have the sizes `size`; of several elements with one index, the
/// last, which alone has a gradient. PyTorch: `torch.nn.functional.max_unpool2d` and its siblings.
///
/// `x: [batch, channels, ..]`, and `indices` of the same shape as
/// [`max_pool2d_with_indices`](super::max_pool2d_with_indices) gives them.
///
/// # Panics
/// When the shapes differ or `size` is not one of the pooled dimensions. An index beyond `size` panics too
/// where the backend computes at once (`NdArray`); [`try_max_unpool`] checks every index.
#[doc(alias = "max_unpool2d")]
#[track_caller]
#[must_use]
pub fn max_unpool<B: Backend, const D: usize, const N: usize>(
    x: Tensor<B, D>,
    indices: Tensor<B, D, Int>,
    size: [usize; N],
) -> Tensor<B, D> {
    let call = || unpool(x, indices, size, |zeros, indices, x| Ok(zeros.scatter_assign(2, indices, x)));
    expect_in_operation("max_unpool", call)
}

/// [`max_unpool`], and what is wrong as a value; reads the indices.
///
/// # Errors
/// When the shapes differ, `size` is not one of the pooled dimensions, or an index is beyond `size`.
#[track_caller]
pub fn try_max_unpool<B: Backend, const D: usize, const N: usize>(
    x: Tensor<B, D>,
    indices: Tensor<B, D, Int>,
    size: [usize; N],
) -> Result<Tensor<B, D>, TensorError> {
    try_in_operation("max_unpool", || {
        unpool(x, indices, size, |zeros, indices, x| zeros.try_scatter_assign(2, indices, x))
    })
}

type Planes<B> = Tensor<B, 3>;

fn unpool<B: Backend, const D: usize, const N: usize>(
    x: Tensor<B, D>,
    indices: Tensor<B, D, Int>,
    size: [usize; N],
    write: impl FnOnce(Planes<B>, Tensor<B, 3, Int>, Planes<B>) -> Result<Planes<B>, TensorError>,
) -> Result<Tensor<B, D>, TensorError> {
    let (shape, found) = (x.shape(), indices.shape());
    ensure!(
        D == N + 2,
        "max_unpool",
        "{N} sizes need an input [batch, channels, ..] of rank {}, got {shape:?}",
        N + 2
    );
    ensure!(
        shape == found,
        "max_unpool",
        "indices and input have different shapes; expected indices {shape:?}, got {found:?}"
    );
    let target = (0..N).fold(shape.clone(), |target, d| target.with(d + 2, size[d]));
    fits("max_unpool", &target, D, x.dtype())?;
    let (batch, channels) = (shape[0], shape[1]);
    let pooled: usize = shape[2..].iter().product();
    let planes = target.clone();
    let unpooled: usize = planes[2..].iter().product();
    let x: Planes<B> = x.try_reshape([batch, channels, pooled])?;
    let indices: Tensor<B, 3, Int> = indices.try_reshape([batch, channels, pooled])?;
    let spec = fits("max_unpool", &[batch, channels, unpooled].into(), 3, x.dtype())?;
    let zeros = Tensor::from_handle(B::full(spec, Scalar::Int(0), &x.device()));
    write(zeros, indices, x)?.reshaped(target)
}
