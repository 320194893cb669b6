//! Vectors of columns of a plane: how the taps of a row of a 3 x 3 kernel read them, and where sums go.

use crate::simd::Lanes;

/// A vector of sums of each row of results.
pub trait Columns<V: Lanes>: Copy {
    /// Elements that a whole store reaches.
    const REACH: usize = V::LANES;

    /// Returns the elements that each of three taps reads, in a row of the input from the column of the first
    /// tap of the first sum on, which may lie before the row.
    ///
    /// # Safety
    /// The row is one of the plane, and the machine has the instructions of `V`; so in all functions below.
    unsafe fn read(self, row: *const f32) -> [V; 3];

    /// Writes the results among the sums, and others after them.
    ///
    /// # Safety
    /// [`Columns::REACH`] elements may be written.
    #[inline(always)]
    unsafe fn store(self, sums: V, out: *mut f32) {
        // SAFETY: by the contract; so in all functions below.
        unsafe { sums.store(out) }
    }

    /// Writes `count` results.
    ///
    /// # Safety
    /// They may be written.
    #[inline(always)]
    unsafe fn store_first(self, sums: V, out: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe { sums.store_first(out, count) }
    }

    /// Returns the residual of `count` results, in the lanes of their sums.
    ///
    /// # Safety
    /// It may be read.
    #[inline(always)]
    unsafe fn residual(self, from: *const f32, count: usize) -> V {
        // SAFETY: as above.
        unsafe { V::load_first(from, count) }
    }
}

/// Columns whose taps read elements of the plane only, for kernels that move by one.
#[derive(Clone, Copy)]
pub struct Inner;

impl<V: Lanes> Columns<V> for Inner {
    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        // SAFETY: as above.
        unsafe { [V::load(row), V::load(row.wrapping_add(1)), V::load(row.wrapping_add(2))] }
    }
}

/// Columns beside an edge of the plane: the elements of the plane among those of each tap.
#[derive(Clone, Copy)]
pub struct Edge {
    pub inside: [[usize; 2]; 3],
}

impl<V: Lanes> Columns<V> for Edge {
    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        // SAFETY: as above.
        unsafe {
            let mut x = [V::splat(0.0); 3];
            for c in 0..3 {
                let [first, end] = self.inside[c];
                x[c] = V::load_within(row.wrapping_add(c), first, end);
            }
            x
        }
    }
}

/// As [`Inner`], for kernels that move by two.
#[derive(Clone, Copy)]
pub struct InnerByTwo;

impl<V: Lanes> Columns<V> for InnerByTwo {
    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (V::load(row), V::load(row.wrapping_add(V::LANES)));
            by_two(low, high, *row.wrapping_add(2 * V::LANES))
        }
    }
}

/// As [`Edge`], for kernels that move by two: the elements of the plane in two vectors, and whether the one
/// after them is.
#[derive(Clone, Copy)]
pub struct EdgeByTwo {
    pub inside: [[usize; 2]; 2],
    pub has_next: bool,
}

impl<V: Lanes> Columns<V> for EdgeByTwo {
    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        let [low, high] = self.inside;
        // SAFETY: as above.
        unsafe {
            let low = V::load_within(row, low[0], low[1]);
            let high = V::load_within(row.wrapping_add(V::LANES), high[0], high[1]);
            by_two(low, high, if self.has_next { *row.wrapping_add(2 * V::LANES) } else { 0.0 })
        }
    }
}

/// The elements of two vectors that three taps read by two: the last one of the third tap is the next one.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn by_two<V: Lanes>(low: V, high: V, next: f32) -> [V; 3] {
    // SAFETY: by the contract.
    unsafe {
        let (even, odd) = low.deinterleave(high);
        [even, odd, even.shifted_down_before(V::splat(next))]
    }
}

/// Rows of so many elements that a vector holds, between a zero before them and one after: they are read
/// once, and shifted in their register.
#[derive(Clone, Copy)]
pub struct Narrow {
    pub width: usize,
}

impl Narrow {
    /// # Safety
    /// See [`Columns::read`].
    #[inline(always)]
    unsafe fn taps<V: Lanes>(self, row: *const f32) -> [V; 3] {
        // SAFETY: by the contract.
        unsafe {
            let end = V::LANES.min(self.width + 1);
            [
                V::load_within(row, 1, end),
                V::load_first(row.wrapping_add(1), self.width),
                V::load_first(row.wrapping_add(2), self.width - 1),
            ]
        }
    }
}

impl<V: Lanes> Columns<V> for Narrow {
    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        // SAFETY: as above.
        unsafe { self.taps(row) }
    }
}

/// As [`Narrow`], for kernels that move by two: sums of every other lane are results.
#[derive(Clone, Copy)]
pub struct NarrowByTwo(pub Narrow);

impl<V: Lanes> Columns<V> for NarrowByTwo {
    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        // SAFETY: as above.
        unsafe { self.0.taps(row) }
    }
    #[inline(always)]
    unsafe fn store(self, sums: V, out: *mut f32) {
        // SAFETY: as above.
        unsafe { sums.deinterleave(sums).0.store(out) }
    }
    #[inline(always)]
    unsafe fn store_first(self, sums: V, out: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe { sums.deinterleave(sums).0.store_first(out, count) }
    }
    #[inline(always)]
    unsafe fn residual(self, from: *const f32, count: usize) -> V {
        // SAFETY: as above.
        unsafe {
            let x = V::load_first(from, count);
            x.interleave(x).0
        }
    }
}

/// Rows of two planes, of fewer elements than half of a vector has: one in each half. From a plane to the
/// next one there are so many elements of input and of results.
#[derive(Clone, Copy)]
pub struct Pair {
    pub width: usize,
    pub input: usize,
    pub output: usize,
}

impl Pair {
    /// # Safety
    /// See [`Columns::store`].
    #[inline(always)]
    unsafe fn store<V: Lanes>(self, sums: V, out: *mut f32) {
        // SAFETY: by the contract; so in all functions below.
        unsafe { sums.store_halves(out, out.wrapping_add(self.output)) }
    }
    /// # Safety
    /// See [`Columns::store_first`].
    #[inline(always)]
    unsafe fn store_first<V: Lanes>(self, sums: V, out: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe { sums.store_first_of_halves(out, out.wrapping_add(self.output), count) }
    }
    /// # Safety
    /// See [`Columns::residual`].
    #[inline(always)]
    unsafe fn residual<V: Lanes>(self, from: *const f32, count: usize) -> V {
        // SAFETY: as above.
        unsafe { V::load_halves(from, from.wrapping_add(self.output), count) }
    }
}

impl<V: Lanes> Columns<V> for Pair {
    const REACH: usize = V::LANES / 2;

    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        let row = row.wrapping_add(1);
        // SAFETY: as above.
        unsafe {
            let x = V::load_halves(row, row.wrapping_add(self.input), self.width);
            // The last lane of each half is a zero.
            [x.rotated_up(), x, x.shifted_down_before(x)]
        }
    }
    #[inline(always)]
    unsafe fn store(self, sums: V, out: *mut f32) {
        // SAFETY: as above.
        unsafe { self.store(sums, out) }
    }
    #[inline(always)]
    unsafe fn store_first(self, sums: V, out: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe { self.store_first(sums, out, count) }
    }
    #[inline(always)]
    unsafe fn residual(self, from: *const f32, count: usize) -> V {
        // SAFETY: as above.
        unsafe { self.residual(from, count) }
    }
}

/// As [`Pair`], for kernels that move by two, of rows of fewer elements than a vector has.
#[derive(Clone, Copy)]
pub struct PairByTwo(pub Pair);

impl<V: Lanes> Columns<V> for PairByTwo {
    const REACH: usize = V::LANES / 2;

    #[inline(always)]
    unsafe fn read(self, row: *const f32) -> [V; 3] {
        let row = row.wrapping_add(1);
        // SAFETY: as above.
        unsafe {
            let lower = V::load_first(row, self.0.width);
            let upper = V::load_first(row.wrapping_add(self.0.input), self.0.width);
            let (even, odd) = lower.deinterleave(upper);
            // The last lane of each half is a zero.
            [odd.rotated_up(), even, odd]
        }
    }
    #[inline(always)]
    unsafe fn store(self, sums: V, out: *mut f32) {
        // SAFETY: as above.
        unsafe { self.0.store(sums, out) }
    }
    #[inline(always)]
    unsafe fn store_first(self, sums: V, out: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe { self.0.store_first(sums, out, count) }
    }
    #[inline(always)]
    unsafe fn residual(self, from: *const f32, count: usize) -> V {
        // SAFETY: as above.
        unsafe { self.0.residual(from, count) }
    }
}
