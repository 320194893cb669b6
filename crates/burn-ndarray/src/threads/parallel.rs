//! Work on several threads, where there is enough of it.

use crate::miri::shrink;
use crate::threads::pieces::Pieces;
#[cfg(feature = "std")]
use crate::threads::{host_threads, thread_pool};
use core::ops::Range;

/// Work that is worth a second thread, in additions of two cached numbers: some microseconds.
const GRAIN: usize = shrink(1 << 14, 1 << 8);

/// Work that several threads may share evenly.
pub const WIDE: usize = GRAIN * 8;

/// Whether work is done before a second thread would have begun.
#[inline]
pub fn is_small(len: usize, cost: usize) -> bool {
    len.saturating_mul(cost) < 2 * GRAIN || len < 2
}

/// Calls `f` with ranges that cover `0..len`, on several threads if `len * cost` additions are worth it.
pub fn for_ranges(len: usize, cost: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    if is_small(len, cost) {
        if len > 0 {
            f(0..len);
        }
        return;
    }
    for_pieces(len, cost, &|pieces| pieces.for_each(f));
}

/// As [`for_ranges`], but calls `f` once on each thread that takes part, with all of its ranges: what they
/// have in common is made once.
pub fn for_pieces(len: usize, cost: usize, f: &(dyn Fn(Pieces<'_>) + Sync)) {
    let is_alone = cfg!(not(feature = "std")) || is_small(len, cost);
    if is_alone {
        if len > 0 {
            f(&mut core::iter::once(0..len));
        }
        return;
    }
    #[cfg(feature = "std")]
    thread_pool::share(len, GRAIN.div_ceil(cost.max(1)).max(1), threads(), f);
}

/// Number of threads that [`for_ranges`] may use.
pub fn threads() -> usize {
    #[cfg(feature = "std")]
    return host_threads::count();
    #[cfg(not(feature = "std"))]
    1
}

/// A pointer that threads may use for parts that do not overlap.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T>(pub *mut T);

// SAFETY: the pointer itself is a number; whoever follows it says why that is sound.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer (a method, so that closures capture the whole).
    pub fn get(&self) -> *mut T {
        self.0
    }
}

/// Calls `f(index, chunk)` for each chunk of `size` elements of `out`, on several threads if it is worth it;
/// `cost` is that of one chunk.
pub fn for_chunks<E: Send>(out: &mut [E], size: usize, cost: usize, f: &(dyn Fn(usize, &mut [E]) + Sync)) {
    let (len, start) = (out.len(), Shared(out.as_mut_ptr()));
    for_ranges(len.div_ceil(size.max(1)), cost, &|range| {
        for index in range {
            let at = index * size;
            // SAFETY: the chunks lie within `out` and do not overlap; each index is visited once.
            let chunk = unsafe { core::slice::from_raw_parts_mut(start.get().add(at), size.min(len - at)) };
            f(index, chunk);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn ranges_cover_everything_once() {
        for len in [0, 1, 5, 200, 6 * GRAIN + 3] {
            let hits: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
            for_ranges(len, GRAIN, &|range| {
                range.for_each(|i| {
                    hits[i].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn chunks_know_their_index() {
        let mut out = vec![0; 1003];
        for_chunks(&mut out, 10, GRAIN, &|index, chunk| chunk.fill(index));
        assert!(out.iter().enumerate().all(|(i, &chunk)| chunk == i / 10));
    }
}
