//! Slices of a tensor that are updated by values: each target takes its values in order, so that the number
//! of threads does not change the result.

use crate::elements::arithmetic::Arithmetic;
use crate::kernels::index_lists::IndexLists;
use crate::miri::shrink;
use crate::simd::{dispatch, prefetch_elements};
use crate::threads::parallel::{self, Shared};
use burn_backend::{IndexUpdate, bf16, f16};

/// Bytes of values from those that are added to those that the memory is asked for: slices are too short
/// for the processor to see where the next ones lie.
const AHEAD: usize = 8 << 10;
/// Bytes of a cache line: shorter slices often lie in that of the slice before.
const LINE: usize = 64;
/// Least columns that a thread takes of all slices.
const COLUMNS: usize = shrink(64, 8);
/// Bytes of the shortest slices that threads share, and of the values that are worth it.
const LONG: usize = shrink(512, 64);
const LEAST: usize = shrink(1 << 20, 1 << 9);

#[inline(always)]
pub fn combine<E: Arithmetic>(old: E, new: E, update: IndexUpdate) -> E {
    match update {
        IndexUpdate::Assign => new,
        IndexUpdate::Add => old.plus(new),
        IndexUpdate::Multiply => old.times(new),
        IndexUpdate::Min => old.smaller(new),
        IndexUpdate::Max => old.larger(new),
    }
}

/// Updates slices of `[outer, size, inner]` elements by `[outer, indices, inner]` values, where all indices
/// are below `size`.
pub fn update_slices<E: SliceElement>(
    [outer, size, inner]: [usize; 3],
    indices: &[i64],
    out: &mut [E],
    values: &[E],
    update: IndexUpdate,
) {
    let count = indices.len();
    assert_eq!(out.len(), outer * size * inner, "the slices are those of the tensor");
    assert_eq!(values.len(), outer * count * inner, "each index has values");
    let out = Shared(out.as_mut_ptr());
    let part = |outer: usize, column: usize, width: usize| SliceUpdates {
        out: Shared(out.get().wrapping_add(outer * size * inner + column)),
        values: &values[(outer * count * inner + column).min(values.len())..],
        indices,
        inner,
        width,
        update,
    };
    if let Some(lists) = lists_of::<E>([outer, size, inner], indices) {
        for outer in 0..outer {
            parallel::for_ranges(lists.count(), count / lists.count() * inner, &|range| {
                for list in range {
                    // SAFETY: indices are below the size; all values for a slice are in one list.
                    unsafe { E::update(part(outer, 0, inner), Some(lists.list(list))) };
                }
            });
        }
        return;
    }
    // Threads have whole columns.
    let bands = if outer < 2 * parallel::threads() { column_bands(inner) } else { 1 };
    let width = inner.div_ceil(bands);
    parallel::for_ranges(outer * bands, count * width, &|parts| {
        for index in parts {
            let column = index % bands * width;
            let width = width.min(inner.saturating_sub(column));
            // SAFETY: indices are below the size; no other thread has these columns.
            unsafe { E::update(part(index / bands, column, width), None) };
        }
    });
}

/// Number of parts of the columns that threads share.
fn column_bands(inner: usize) -> usize {
    inner.div_ceil(COLUMNS).clamp(1, parallel::threads())
}

/// Lists of positions for each thread, where to share slices takes less time than to share columns: the
/// memory gives short parts of slices more slowly.
fn lists_of<E>([outer, size, inner]: [usize; 3], indices: &[i64]) -> Option<IndexLists> {
    let (count, threads, bytes) = (indices.len(), parallel::threads(), inner * size_of::<E>());
    if threads == 1 || outer >= 2 * threads || bytes < LONG || count * bytes < LEAST {
        return None;
    }
    // Two lists are nearly read from start to end. Of more, a thread that is done takes those of others.
    let lists = if threads == 2 { 2 } else { 2 * threads };
    let lists = IndexLists::new(indices, size, lists)?;
    // Many equal indices leave the other threads without work.
    (lists.longest() <= count / 2 * 3 / column_bands(inner)).then_some(lists)
}

/// Updates of `width` elements of slices, which are `inner` elements apart.
#[derive(Clone, Copy)]
pub struct SliceUpdates<'a, E> {
    /// First element of the slice with index 0.
    out: Shared<E>,
    values: &'a [E],
    indices: &'a [i64],
    inner: usize,
    width: usize,
    update: IndexUpdate,
}

/// An element with a kernel for updates of slices.
pub trait SliceElement: Arithmetic {
    /// Takes the values at `positions` one after the other, or all of them.
    ///
    /// # Safety
    /// Slices lie within a tensor for all indices, and no other thread uses their elements.
    unsafe fn update(updates: SliceUpdates<'_, Self>, positions: Option<&[u32]>);
}

#[inline(always)]
fn updates_body<E: Arithmetic>(updates: SliceUpdates<'_, E>, positions: Option<&[u32]>) {
    match positions {
        Some(positions) => update_each(updates, positions.len(), |k| positions[k] as usize),
        None => update_each(updates, updates.indices.len(), |k| k),
    }
}

#[inline(always)]
fn update_each<E: Arithmetic>(updates: SliceUpdates<'_, E>, count: usize, position: impl Fn(usize) -> usize) {
    let SliceUpdates { out, values, indices, inner, width, update } = updates;
    let target = |position: usize| out.get().wrapping_add(indices[position] as usize * inner);
    let ahead = (AHEAD / (width * size_of::<E>()).max(1)).max(1);
    for k in 0..count {
        if k + ahead < count && width * size_of::<E>() >= LINE {
            let next = position(k + ahead);
            prefetch_elements(values.as_ptr().wrapping_add(next * inner), width);
            prefetch_elements(target(next).cast_const(), width);
        }
        let k = position(k);
        let from = &values[k * inner..][..width];
        // SAFETY: by the contract of `SliceElement::update`.
        let to = unsafe { core::slice::from_raw_parts_mut(target(k), width) };
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = combine(*to, from, update));
    }
}

#[inline(always)]
fn single<const FMA: bool>(updates: SliceUpdates<'_, f32>, positions: Option<&[u32]>) {
    updates_body(updates, positions);
}
dispatch! { narrow fn update_f32(updates: SliceUpdates<'_, f32>, positions: Option<&[u32]>) = single }

impl SliceElement for f32 {
    unsafe fn update(updates: SliceUpdates<'_, Self>, positions: Option<&[u32]>) {
        update_f32(updates, positions);
    }
}

macro_rules! slice_elements {
    ($($ty:ty),*) => {$(
        impl SliceElement for $ty {
            unsafe fn update(updates: SliceUpdates<'_, Self>, positions: Option<&[u32]>) {
                updates_body(updates, positions);
            }
        }
    )*};
}
slice_elements!(f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8);

// There are no threads in WebAssembly.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    /// Result of an update on a number of threads.
    fn updated(
        sizes: [usize; 3],
        indices: &[i64],
        values: &[f32],
        update: IndexUpdate,
        threads: usize,
    ) -> Vec<f32> {
        let mut out: Vec<f32> = (0..sizes.iter().product()).map(|i: usize| (i % 7) as f32 - 3.0).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads");
        pool.install(|| update_slices(sizes, indices, &mut out, values, update));
        out
    }

    /// Sizes, and numbers of indices: enough for lists, with rows that end within a vector.
    const CASES: [([usize; 3], usize); 3] = shrink(
        [([1, 3, 130], 4000), ([1, 5000, 128], 4000), ([3, 40, 257], 1500)],
        [([1, 3, 18], 30), ([1, 50, 16], 40), ([3, 4, 33], 20)],
    );

    /// Indices that are spread, that are mostly one, and that are all one.
    fn index_patterns(size: usize, count: usize) -> [Vec<i64>; 3] {
        let spread = (0..count).map(|k| (k * k * 31 % size) as i64);
        let mostly = (0..count).map(|k| if k % 10 == 0 { (k % size) as i64 } else { 2 });
        [spread.collect(), mostly.collect(), vec![1; count]]
    }

    #[test]
    fn sums_of_whole_numbers_are_exact_on_any_number_of_threads() {
        for ([outer, size, inner], count) in CASES {
            let values: Vec<f32> = (0..outer * count * inner).map(|i| (i * 7 % 13) as f32 - 6.0).collect();
            for indices in index_patterns(size, count) {
                let mut wanted: Vec<f64> =
                    (0..outer * size * inner).map(|i| f64::from((i % 7) as u32) - 3.0).collect();
                for (at, &value) in values.iter().enumerate() {
                    let (o, k, column) = (at / (count * inner), at / inner % count, at % inner);
                    wanted[(o * size + indices[k] as usize) * inner + column] += f64::from(value);
                }
                for threads in [1, 2, 5] {
                    let found = updated([outer, size, inner], &indices, &values, IndexUpdate::Add, threads);
                    assert!(found.iter().zip(&wanted).all(|(&x, &y)| f64::from(x) == y), "{size} {threads}");
                }
            }
        }
    }

    #[test]
    fn updates_have_the_same_bits_on_any_number_of_threads() {
        for (sizes @ [outer, size, inner], count) in CASES {
            // Sums and products of these are rounded, so that their order counts.
            let values: Vec<f32> =
                (0..outer * count * inner).map(|i| ((i % 1009) as f32).sin() * 1.3).collect();
            for indices in index_patterns(size, count) {
                for update in [IndexUpdate::Add, IndexUpdate::Assign, IndexUpdate::Multiply, IndexUpdate::Max]
                {
                    let bits = |threads| -> Vec<u32> {
                        updated(sizes, &indices, &values, update, threads)
                            .iter()
                            .map(|x| x.to_bits())
                            .collect()
                    };
                    let one = bits(1);
                    assert!([2, 3, 16].iter().all(|&threads| bits(threads) == one), "{size} {update:?}");
                }
            }
        }
    }

    #[test]
    fn threads_have_lists_where_slices_are_long_and_no_index_has_most_values() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        pool.install(|| {
            let (size, count, inner) = (5000, 4000, LONG / size_of::<f32>());
            let lists = index_patterns(size, count)
                .map(|indices| lists_of::<f32>([1, size, inner], &indices).is_some());
            assert_eq!(lists, [true, false, false]);
            assert!(lists_of::<f32>([1, size, inner / 2], &index_patterns(size, count)[0]).is_none());
            assert!(lists_of::<f32>([4, size, inner], &index_patterns(size, count)[0]).is_none());
        });
    }
}
