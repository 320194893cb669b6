//! Operations with a list of indices as those with an index for each element.

use crate::Backend;
use burn_ir::{DType, Dims, HasSpec, IndexUpdate, Scalar, Shape, TensorSpec};

/// Broadcasts a `list` of indices along `dim` to `shape`.
fn everywhere<B: Backend>(list: B::Tensor, dim: usize, shape: Shape) -> B::Tensor {
    let column = Shape::from(Dims::repeat(1, shape.rank())).with(dim, shape[dim]);
    B::expand(B::reshape(list, column), shape)
}

/// [`TypedCalls::select`](crate::TypedCalls::select) by [`TypedCalls::gather`](crate::TypedCalls::gather).
pub fn select<B: Backend>(x: B::Tensor, dim: usize, indices: B::Tensor) -> B::Tensor {
    let shape = x.spec().shape.with(dim, indices.spec().shape[0]);
    B::gather(x, dim, everywhere::<B>(indices, dim, shape))
}

/// [`TypedCalls::select_assign`](crate::TypedCalls::select_assign) by
/// [`TypedCalls::scatter`](crate::TypedCalls::scatter).
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

/// [`TypedCalls::flip`](crate::TypedCalls::flip) by [`TypedCalls::select`](crate::TypedCalls::select).
pub fn flip<B: Backend>(x: B::Tensor, axes: Dims) -> B::Tensor {
    axes.iter().fold(x, |x, &dim| {
        let size = x.spec().shape[dim];
        let down = TensorSpec::new([size], DType::I64);
        let down = B::range(down, Scalar::Int(size as i64 - 1), Scalar::Int(-1), &B::device(&x));
        B::select(x, dim, down)
    })
}

/// [`TypedCalls::repeat_dim`](crate::TypedCalls::repeat_dim) by
/// [`TypedCalls::expand`](crate::TypedCalls::expand).
pub fn repeat_dim<B: Backend>(x: B::Tensor, dim: usize, times: usize) -> B::Tensor {
    let shape = x.shape();
    let (before, after) = (&shape[..dim], &shape[dim..]);
    let with = |count: usize| -> Shape { before.iter().chain(&[count]).chain(after).copied().collect() };
    let repeated = B::expand(B::reshape(x, with(1)), with(times));
    B::reshape(repeated, shape.with(dim, times * shape[dim]))
}
