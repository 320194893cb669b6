//! Operations with a list of indices as those with an index for each element.

use crate::Backend;
use burn_ir::{DType, Dims, HasSpec, IndexUpdate, Scalar, Shape, TensorSpec};

/// Broadcasts a `list` of indices along `dim` to `shape`.
fn everywhere<B: Backend>(list: B::Tensor, dim: usize, shape: Shape) -> B::Tensor {
    let column = Shape::from(Dims::repeat(1, shape.rank())).with(dim, shape[dim]);
    B::expand(B::reshape(list, column), shape)
}

/// [`Backend::select`] by [`Backend::gather`].
pub fn select<B: Backend>(x: B::Tensor, dim: usize, indices: B::Tensor) -> B::Tensor {
    let shape = x.spec().shape.with(dim, indices.spec().shape[0]);
    B::gather(x, dim, everywhere::<B>(indices, dim, shape))
}

/// [`Backend::select_assign`] by [`Backend::scatter`].
pub fn select_assign<B: Backend>(
    x: B::Tensor,
    dim: usize,
    indices: B::Tensor,
    value: B::Tensor,
    update: IndexUpdate,
) -> B::Tensor {
    let indices = everywhere::<B>(indices, dim, value.shape());
    B::scatter(x, dim, indices, value, update)
}

/// [`Backend::flip`] by [`Backend::select`].
pub fn flip<B: Backend>(x: B::Tensor, axes: Dims) -> B::Tensor {
    axes.iter().fold(x, |x, &dim| {
        let size = x.spec().shape[dim];
        let down = TensorSpec::new([size], DType::I64);
        let down = B::range(down, Scalar::Int(size as i64 - 1), Scalar::Int(-1), &B::device(&x));
        B::select(x, dim, down)
    })
}

/// [`Backend::repeat_dim`] by [`Backend::expand`].
pub fn repeat_dim<B: Backend>(x: B::Tensor, dim: usize, times: usize) -> B::Tensor {
    let shape = x.shape();
    let (before, after) = (&shape[..dim], &shape[dim..]);
    let with = |count: usize| -> Shape { before.iter().chain(&[count]).chain(after).copied().collect() };
    let repeated = B::expand(B::reshape(x, with(1)), with(times));
    B::reshape(repeated, shape.with(dim, times * shape[dim]))
}
