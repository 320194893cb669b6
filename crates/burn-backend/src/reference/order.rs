//! Parts of an order from the whole of it.

use crate::Backend;
use burn_ir::{DType, Extremum, HasSpec, Slice};

/// [`TypedCalls::arg_reduce`](crate::TypedCalls::arg_reduce) by
/// [`TypedCalls::reduce_with_indices`](crate::TypedCalls::reduce_with_indices).
pub fn arg_reduce<B: Backend>(op: Extremum, x: B::Tensor, dim: usize, index: DType) -> B::Tensor {
    B::reduce_with_indices(op, x, dim, index).1
}

/// [`TypedCalls::sort`](crate::TypedCalls::sort) by
/// [`TypedCalls::sort_with_indices`](crate::TypedCalls::sort_with_indices).
pub fn sort<B: Backend>(x: B::Tensor, dim: usize, descending: bool) -> B::Tensor {
    B::sort_with_indices(x, dim, descending, DType::I64).0
}

/// [`TypedCalls::topk`](crate::TypedCalls::topk) by
/// [`TypedCalls::sort_with_indices`](crate::TypedCalls::sort_with_indices).
pub fn topk<B: Backend>(
    x: B::Tensor,
    k: usize,
    dim: usize,
    largest: bool,
    index: DType,
) -> (B::Tensor, B::Tensor) {
    let (values, indices) = B::sort_with_indices(x, dim, largest, index);
    let first = |x: B::Tensor| {
        let sizes = x.spec().shape.with(dim, k);
        B::slice(x, sizes.iter().map(|&size| Slice::from(0..size)).collect())
    };
    (first(values), first(indices))
}
