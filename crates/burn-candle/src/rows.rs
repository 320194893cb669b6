//! Kernels that go along rows: a dimension, or several, moved to the end and in order.

use crate::element::Number;
use crate::host;
use burn_backend::{Dims, HasSpec, TensorSpec};
use candle_core::{Result, Tensor};
use rayon::prelude::*;

/// Elements that a thread takes at least.
const SHARE: usize = 1 << 13;

/// `x` with `dims` moved to the end, in this order.
pub fn moved_last(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let order: Vec<usize> = (0..x.rank()).filter(|d| !dims.contains(d)).chain(dims.iter().copied()).collect();
    x.permute(order)
}

/// Undoes the move of one dimension.
pub fn moved_back(x: &Tensor, dim: usize) -> Result<Tensor> {
    let rank = x.rank();
    let order: Vec<usize> = (0..dim).chain([rank - 1]).chain(dim..rank - 1).collect();
    x.permute(order)
}

/// Calls `f` with every row of `size` elements of `x`, which lie in order, and `width` elements of the result
/// to fill.
pub fn by_row<E: Number, U: Number>(
    x: &Tensor,
    size: usize,
    width: usize,
    f: impl Fn(&[E::Stored], &mut [U::Stored]) + Sync,
) -> Result<Vec<U::Stored>> {
    let rows = x.elem_count().checked_div(size).unwrap_or(0);
    host::read::<E, _>(x, |all| {
        let mut out = vec![U::default().store(); rows * width];
        if width > 0 {
            let least = SHARE / size.max(1) + 1;
            out.par_chunks_mut(width)
                .zip(all.par_chunks(size.max(1)))
                .with_min_len(least)
                .for_each(|(out, row)| f(row, out));
        }
        out
    })
}

/// The number of elements along `dims`.
pub fn count(spec: &impl HasSpec, dims: &[usize]) -> usize {
    dims.iter().map(|&d| spec.spec().shape[d]).product()
}

/// The dimensions of a spec with `dim` moved to the end.
pub fn shape_moved_last(spec: &TensorSpec, dim: usize) -> Dims {
    let shape = &spec.shape;
    (0..shape.rank()).filter(|&d| d != dim).chain([dim]).map(|d| shape[d]).collect()
}
