//! Rotary position encoding (Su et al., 2021, <https://arxiv.org/abs/2104.09864>).

use crate::{Backend, ops};
use burn_ir::{Dims, HasSpec, Shape, Slice, Slices};
use core::ops::Range;

/// Rotates pairs of the first elements of heads, `[rows, heads, size]`, by the angles of their row:
/// `x cos + swapped(x) sin`, where `swapped` exchanges the elements of a pair.
///
/// `rotation` is `[rows, 2, rotated elements]`, cosines and then sines, those of the first of a pair negated.
/// Pairs are neighbours where they are `interleaved`, and half of the rotated elements apart otherwise.
pub fn rotary_embedding<B: Backend>(x: B::Tensor, rotation: &B::Tensor, interleaved: bool) -> B::Tensor {
    let (rotated, size) = (rotation.spec().shape[2], x.spec().shape[2]);
    // Elements of a pair are exchanged by reading a dimension of 2 backwards.
    let pairs = rotated / 2;
    let (split, backwards) = if interleaved { ([pairs, 2], 3) } else { ([2, pairs], 2) };
    let parts = |x: B::Tensor| {
        let [rows, heads] = [0, 1].map(|dim| x.spec().shape[dim]);
        B::reshape(x, Shape::from([rows, heads, split[0], split[1]]))
    };
    let [cos, sin] = [0, 1].map(|row| parts(narrow::<B>(rotation.clone(), 1, row..row + 1)));
    let (first, rest) = match rotated == size {
        true => (x, None),
        false => (narrow::<B>(x.clone(), 2, 0..rotated), Some(narrow::<B>(x, 2, rotated..size))),
    };
    let shape = first.shape();
    let first = parts(first);
    let swapped = B::flip(first.clone(), Dims::from([backwards]));
    let sum = ops::add::<B>(ops::mul::<B>(first, cos), ops::mul::<B>(swapped, sin));
    let sum = B::reshape(sum, shape);
    match rest {
        Some(rest) => B::cat([sum, rest].into(), 2),
        None => sum,
    }
}

/// A range of a dimension.
pub(super) fn narrow<B: Backend>(x: B::Tensor, dim: usize, range: Range<usize>) -> B::Tensor {
    let shape = x.shape();
    let whole = |d: usize| if d == dim { range.clone() } else { 0..shape[d] };
    let slices: Slices = (0..shape.rank()).map(|d| Slice::from(whole(d))).collect();
    B::slice(x, slices)
}
