//! Sums of slices by their index, such as the gradient of an embedding: many slices, few or many indices.
//!
//! Indices are sorted, equal ones stay in order, and tiles of them are summed side by side. A run of one
//! index that goes on in the next tile has a partial sum for each tile. The order of additions depends on the
//! indices alone, so that results are the same on each run.

use crate::launch::kernel::{A, B, Body, C, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::sort::sort_with_indices;
use burn_backend::*;
use cubecl::prelude::*;

/// Slices of a tile.
const TILE: u32 = 32;

/// Fewer slices are added one after the other.
const FEW: usize = 256;

launch_words! {
    struct SegmentWords {
        /// Units: a tile and an element of its slices each.
        count: u32,
        /// Slices.
        terms: u32,
        /// Elements of a slice.
        inner: u32,
        /// Slices of the result; the others are left out.
        size: u32,
    }
}

/// An index as an unsigned number: one below zero is behind every end.
#[cube]
fn target<I: Int>(sorted: &Array<I>, at: u32) -> u32 {
    u32::reinterpret(i32::cast_from(sorted[at as usize]))
}

#[cube]
fn add_to<E: Numeric>(out: &mut Array<E>, at: u32, sum: f32) {
    out[at as usize] = E::cast_from(f32::cast_from(out[at as usize]) + sum);
}

/// Adds the runs that lie within a tile, and keeps the partial sums of those that do not: of the run that
/// began before the tile first, then of the one that goes on behind it.
#[cube]
fn sum_tiles<I: Int, O: Int, E: Numeric>(
    sorted: &Array<I>,
    order: &Array<O>,
    value: &Array<E>,
    out: &mut Array<E>,
    partial: &mut Array<f32>,
    words: &SegmentWords,
) {
    let at = strides::position();
    if at < words.count {
        let i = at % words.inner;
        let tile = at / words.inner;
        let start = tile * TILE;
        let end = select(start + TILE < words.terms, start + TILE, words.terms);
        let slot = tile * 2u32 * words.inner + i;
        let mut index = target::<I>(sorted, start);
        // 1 while the run began before the tile.
        let mut began_before = select(start > 0u32 && target::<I>(sorted, start - 1u32) == index, 1u32, 0u32);
        let mut sum = 0.0f32;
        for k in start..end {
            let next = target::<I>(sorted, k);
            if next != index {
                if began_before == 1u32 {
                    partial[slot as usize] = sum;
                } else if index < words.size {
                    add_to::<E>(out, index * words.inner + i, sum);
                }
                began_before = 0u32;
                sum = 0.0f32;
                index = next;
            }
            let from = u32::cast_from(order[k as usize]) * words.inner + i;
            sum += f32::cast_from(value[from as usize]);
        }
        if began_before == 1u32 {
            partial[slot as usize] = sum;
        } else if end < words.terms && target::<I>(sorted, end) == index {
            partial[(slot + words.inner) as usize] = sum;
        } else if index < words.size {
            add_to::<E>(out, index * words.inner + i, sum);
        }
    }
}

/// Adds each run that goes on behind a tile to the result: the unit of the tile in which it began has it.
#[cube]
fn join_tiles<I: Int, E: Numeric>(
    sorted: &Array<I>,
    partial: &Array<f32>,
    out: &mut Array<E>,
    words: &SegmentWords,
) {
    let at = strides::position();
    if at < words.count {
        let i = at % words.inner;
        let tile = at / words.inner;
        let start = tile * TILE;
        let end = start + TILE;
        if end < words.terms {
            let index = target::<I>(sorted, end - 1u32);
            let first = target::<I>(sorted, start);
            let began_before = start > 0u32 && first == index && target::<I>(sorted, start - 1u32) == index;
            if target::<I>(sorted, end) == index && !began_before && index < words.size {
                let mut sum = partial[((tile * 2u32 + 1u32) * words.inner + i) as usize];
                let mut next = end;
                let mut goes_on = select(next < words.terms, 1u32, 0u32);
                while goes_on == 1u32 {
                    sum += partial[((next / TILE) * 2u32 * words.inner + i) as usize];
                    next += TILE;
                    let is_whole = next < words.terms && target::<I>(sorted, next - 1u32) == index;
                    goes_on = select(is_whole && target::<I>(sorted, next) == index, 1u32, 0u32);
                }
                add_to::<E>(out, index * words.inner + i, sum);
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SumTiles;

impl Kernel for SumTiles {
    const NAME: &'static str = "segment_sum";

    fn expand(&self, body: &mut Body) {
        let (sorted, order, value) = (body.array(0), body.array(1), body.array(2));
        let (out, partial) = (body.array(3), body.array(4));
        let words = body.read::<SegmentWords>();
        sum_tiles::expand::<A, B, C>(&mut body.scope, sorted, order, value, out, partial, words);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct JoinTiles;

impl Kernel for JoinTiles {
    const NAME: &'static str = "segment_join";

    fn expand(&self, body: &mut Body) {
        let (sorted, partial, out) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<SegmentWords>();
        join_tiles::expand::<A, C>(&mut body.scope, sorted, partial, out, words);
    }
}

/// Returns whether [`add_segments`] is for adding so many slices of `value` along its first dimension.
pub fn are_many(value: &CubeTensor, dim: usize) -> bool {
    let TensorSpec { shape, dtype } = value.spec();
    dim == 0 && shape[0] >= FEW && shape.num_elements() > 0 && dtype.is_float() && *dtype != DType::F64
}

/// Adds slice `k` of `value` to slice `indices[k]` of `out`, which nothing else holds. All are in row-major
/// order.
pub fn add_segments(out: &CubeTensor, indices: &CubeTensor, value: &CubeTensor) {
    let (terms, inner) = (value.spec().shape[0], value.strides()[0]);
    let (sorted, order) = sort_with_indices(indices, 0, false, DType::I32);
    let tiles = terms.div_ceil(TILE as usize);
    let partial = CubeTensor::empty(TensorSpec::new([tiles, 2, inner], DType::F32), value.engine());
    let count = tiles * inner;
    let words = SegmentWords {
        count: word(count),
        terms: word(terms),
        inner: word(inner),
        size: word(out.spec().shape[0]),
    };
    launch(SumTiles, &[&sorted, &order, value], &[out, &partial], &words.words(), count);
    launch(JoinTiles, &[&sorted, &partial], &[out], &words.words(), count);
}
