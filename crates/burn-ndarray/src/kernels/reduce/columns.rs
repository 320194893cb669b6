//! Reductions where elements of different results are neighbours in memory: rows are folded into
//! accumulators, in the order in which [`crate::simd::fold`] folds one run.

use super::fold::{Blocks, ROWS_AHEAD};
use super::folded::{Folded, STRIP};
use super::folding::Folding;
use super::strips::StripRows;
use crate::elements::collapsed::Collapsed;
use crate::memory::Buffer;
use crate::simd::{ACCUMULATORS, FEW, ROUND};
use crate::threads::parallel;
use core::ops::Range;

/// Bytes of a band of rows that are folded into accumulators: memory is read in pieces of that length, and
/// the accumulators stay in the first cache.
const BYTES: usize = 1024;
/// Fewest bytes of a row that are folded into a single accumulator.
const LONG_BYTES: usize = 4096;
/// Most of them, which the first cache holds, and bytes of the longest rows that are joined: the second cache
/// holds their accumulators.
const WIDEST: usize = 16 << 10;
/// Accumulators of bands for each thread that folds them.
const UNITS: usize = 4;
/// Rows that are worth accumulators as long as sixteen of them.
const LONG: usize = 8 * ROUND;
/// Joined rows that are folded in one call.
const JOINED: usize = 64;
/// Columns of the widest band of strips.
const STRIPS: usize = 1024;
/// Columns and rows that are worth accumulators.
const WORTH: usize = 64;

/// How the rows of a piece are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Where they lie, a strip of columns after the other. All rows of a strip are read before the next one.
    Strips,
    /// Where they lie, row by row. Those of a large tensor come from memory.
    Rows,
    /// As [`Method::Rows`], each accumulator by itself: memory is read in longer pieces than by threads that
    /// share the columns.
    ByAccumulator,
    /// As one row each time, where they have no gap: so many of them as there are accumulators. Memory is
    /// read in the longest streams then.
    Joined,
    /// Rows brought into order, as many as are added to each other before they are added to the accumulators.
    Tiles,
}

/// Columns of pieces.
pub struct Columns<'a, E> {
    pub(super) folding: &'a Folding<E>,
    /// The other dimensions of the grid.
    pub(super) others: Collapsed<2>,
    /// Number of columns, and from one to the next, in the operand and in the results.
    pub(super) count: usize,
    pub(super) step: usize,
    pub(super) result_step: usize,
    /// Whether each row begins where the one before it ends.
    has_no_gap: bool,
    /// Columns of a band.
    pub(super) width: usize,
    method: Method,
}

impl<'a, E: Folded> Columns<'a, E> {
    /// The columns along the dimension of the grid whose elements are nearest, if they are nearer than those
    /// of a piece.
    pub fn new(folding: &'a Folding<E>) -> Option<Self> {
        let (grid, piece) = (&folding.grid, folding.piece(0));
        let (d, along) = (grid.nearest(0)?, piece.nearest(0)?);
        let (count, rows) = (grid.shape[d], piece.rows() * piece.inner());
        if grid.distance(0, d) >= piece.distance(0, along) || count * rows.min(WORTH) < WORTH {
            return None;
        }
        let (step, others) = (grid.strides[0][d], grid.without(d));
        let pieces = others.rows() * folding.pieces;
        let (in_order, size) = (folding.source.is_wide && step == 1, size_of::<E>());
        let threads = if parallel::is_small(count * pieces, rows) { 1 } else { parallel::threads() };
        // Bands for all threads, however wide: the width changes no result.
        let band = |parts: usize| (count * pieces).div_ceil(parts).next_multiple_of(STRIP / size);
        let share = if threads == 1 { count } else { band(2 * threads) };
        let has_no_gap = piece.shape.len() == 1 && piece.step(0) == step.wrapping_mul(count);
        let is_narrow = count * size < STRIP && rows >= ROUND;
        let is_long = folding.source.is_medium && count * size <= WIDEST && rows >= LONG;
        let is_joined = has_no_gap && count <= share && (is_narrow || is_long);
        let is_shared = share < count.min(BYTES / size) || threads > 1 && count * size >= LONG_BYTES;
        let method = match in_order {
            false => Method::Tiles,
            true if is_joined => Method::Joined,
            true if folding.source.is_large && rows >= LONG && is_shared => Method::ByAccumulator,
            true if folding.source.is_large && rows > ROUND => Method::Rows,
            true => Method::Strips,
        };
        let width = match method {
            Method::Joined => count,
            Method::Strips => STRIPS,
            Method::Rows | Method::Tiles => BYTES / size,
            Method::ByAccumulator => {
                let parts = (UNITS * threads).div_ceil(ACCUMULATORS);
                band(parts).clamp(LONG_BYTES / size, WIDEST / size)
            }
        };
        let width = if method == Method::ByAccumulator { width } else { share.min(width) }.min(count);
        let result_step = grid.strides[1][d];
        Some(Columns { folding, others, count, step, result_step, has_no_gap, width, method })
    }

    /// Whether threads fold the rows of single accumulators.
    pub fn is_by_accumulator(&self) -> bool {
        self.method == Method::ByAccumulator
    }

    /// Folds bands of columns, unless they are folded by accumulators.
    pub fn run(&self) {
        let Folding { pieces, .. } = *self.folding;
        let (bands, piece) = (self.count.div_ceil(self.width), self.folding.piece(0));
        let cost = piece.rows() * piece.inner() * self.width;
        parallel::for_ranges(self.others.rows() * pieces * bands, cost, &|range| {
            self.fold_range(range, bands)
        });
    }

    fn fold_range(&self, range: Range<usize>, bands: usize) {
        let Folding { pieces, source, sink, .. } = *self.folding;
        let (mut few, mut many) = ([0; ROUND], None);
        let places = match self.rows(0) + if self.method == Method::Rows { ROWS_AHEAD } else { 0 } {
            rows @ ..=ROUND => &mut few[..rows],
            rows => {
                let room = many.insert(Buffer::new(rows * size_of::<usize>()));
                room.as_mut_slice::<usize>().expect("a new buffer is unique")
            }
        };
        self.find_places(places);
        let room = match self.method {
            Method::Strips | Method::ByAccumulator => 0,
            Method::Rows | Method::Joined => ACCUMULATORS * self.width,
            Method::Tiles => (ACCUMULATORS + ROUND) * self.width,
        };
        let mut buffer = Buffer::new((self.width + room) * size_of::<E>());
        let buffer: &mut [E] = buffer.as_mut_slice().expect("a new buffer is unique");
        let (results, room) = buffer.split_at_mut(self.width);
        for index in range {
            let (rest, band) = (index / bands, index % bands);
            let (other, piece) = (rest / pieces, rest % pieces);
            let [start, result] = self.others.row(other);
            let first = band * self.width;
            let start = start
                .wrapping_add(self.folding.piece_start(piece))
                .wrapping_add(first.wrapping_mul(self.step));
            let results = &mut results[..self.width.min(self.count - first)];
            let rows = self.rows(piece);
            // SAFETY: the rows lie within the tensor, and each result is written once.
            unsafe {
                if self.method == Method::Strips {
                    let offsets = &places[..rows];
                    let rows =
                        StripRows { start: source.at(start).cast(), offsets, is_large: source.is_large };
                    E::fold_strips(self.folding.fold, rows, results);
                } else {
                    self.fold_rows(start, rows, places, room, results);
                }
                sink.write(result + piece + first * self.result_step, self.result_step, results);
            }
        }
    }

    /// Where a piece of some other dimensions starts, and the number of its first result.
    pub(super) fn piece(&self, index: usize) -> (usize, usize) {
        let (other, piece) = (index / self.folding.pieces, index % self.folding.pieces);
        let [start, result] = self.others.row(other);
        (start.wrapping_add(self.folding.piece_start(piece)), result + piece)
    }

    /// Rows of a piece.
    pub(super) fn rows(&self, piece: usize) -> usize {
        let piece = self.folding.piece(piece);
        piece.rows() * piece.inner()
    }

    /// Where the rows of a piece start, and those that are read next. The last piece has fewer.
    fn find_places(&self, places: &mut [usize]) {
        let piece = self.folding.piece(0);
        let (inner, step, rows) = (piece.inner(), piece.step(0), self.rows(0));
        for (row, places) in places[..rows].chunks_mut(inner).enumerate() {
            let [mut at] = piece.row(row);
            for place in places {
                *place = at;
                at = at.wrapping_add(step);
            }
        }
        // The next band, or the next piece.
        let next = if self.width < self.count { self.width } else { rows * self.count };
        for k in rows..places.len() {
            places[k] = places[k - rows].wrapping_add(next);
        }
    }

    /// Where the rows of an accumulator start, and those that follow the last piece.
    pub(super) fn find_rows(&self, lane: usize, places: &mut [usize]) {
        let piece = self.folding.piece(0);
        for (k, place) in places.iter_mut().enumerate() {
            [*place] = piece.place(lane + k * ACCUMULATORS);
        }
    }

    /// Folds the rows of a piece from an element on into accumulators, and those into results.
    ///
    /// # Safety
    /// The rows lie within the tensor.
    unsafe fn fold_rows(
        &self,
        start: usize,
        count: usize,
        places: &[usize],
        room: &mut [E],
        results: &mut [E],
    ) {
        let (fold, width) = (self.folding.fold, results.len());
        let (accumulators, tile) = room.split_at_mut(ACCUMULATORS * self.width);
        let accumulators = &mut accumulators[..ACCUMULATORS * width];
        accumulators.fill(fold.identity());
        let rounds = count / ROUND * ROUND;
        let blocks = count / ACCUMULATORS * ACCUMULATORS;
        let mut rows = Accumulate { columns: self, start, width, places, accumulators, tile };
        // SAFETY: by the contract.
        unsafe {
            if count < FEW {
                rows.fold(0..count, 1, false);
                return results.copy_from_slice(&accumulators[..width]);
            }
            rows.fold(0..rounds, ACCUMULATORS, true);
            rows.fold(rounds..blocks, ACCUMULATORS, false);
            rows.fold(blocks..count, count - blocks, false);
        }
        E::join(fold, accumulators, results);
    }
}

/// Rows of neighbouring columns on their way into accumulators.
struct Accumulate<'a, E> {
    columns: &'a Columns<'a, E>,
    start: usize,
    width: usize,
    places: &'a [usize],
    accumulators: &'a mut [E],
    /// Room for the elements of [`ROUND`] rows, unless they are read where they lie.
    tile: &'a mut [E],
}

impl<E: Folded> Accumulate<'_, E> {
    /// Folds rows into so many accumulators.
    ///
    /// # Safety
    /// The rows lie within the tensor.
    unsafe fn fold(&mut self, rows: Range<usize>, lanes: usize, by_four: bool) {
        let Columns { folding, count: all, step, has_no_gap, method, .. } = *self.columns;
        let Folding { fold, source, .. } = *folding;
        let (width, places) = (self.width, self.places);
        if rows.is_empty() {
            return;
        }
        let accumulators = &mut self.accumulators[..lanes * width];
        if method == Method::Rows {
            let (start, offsets) = (source.at(self.start).cast(), &places[rows.start..]);
            let (count, is_large) = (rows.len() / lanes, source.is_large);
            let blocks = Blocks { start, count, offsets, width, by_four, is_large, accumulators };
            // SAFETY: by the contract.
            return unsafe { E::accumulate(fold, blocks) };
        }
        // The rows of a block are one row.
        let mut offsets = [0; JOINED + ROWS_AHEAD / ACCUMULATORS];
        let whole = lanes * width;
        offsets.iter_mut().enumerate().for_each(|(k, offset)| *offset = k * whole);
        let together = if method == Method::Joined { JOINED * ACCUMULATORS } else { ROUND };
        for first in rows.clone().step_by(together) {
            let count = together.min(rows.end - first);
            let start = if method == Method::Joined {
                source.at(self.start.wrapping_add(places[first])).cast()
            } else {
                let loaded = if has_no_gap && width == all { count * width } else { width };
                let rows = self.tile[..count * width].chunks_exact_mut(loaded);
                for (row, &place) in rows.zip(&places[first..]) {
                    // SAFETY: by the contract.
                    unsafe { (source.load)(source.at(self.start.wrapping_add(place)), step, row) };
                }
                self.tile.as_ptr()
            };
            let is_large = source.is_medium && method == Method::Joined;
            let (count, accumulators) = (count / lanes, &mut *accumulators);
            let blocks =
                Blocks { start, count, offsets: &offsets, width: whole, by_four, is_large, accumulators };
            // SAFETY: the rows lie within the tensor, by the contract, or the tile.
            unsafe { E::accumulate(fold, blocks) };
        }
    }
}
