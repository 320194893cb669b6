//! Reductions where elements of different results are neighbours in memory: rows are folded into accumulators, in the order
//! in which [`crate::simd::fold`] folds one run.

use super::dims::Folding;
use super::fold::{Blocks, Folded};
use crate::buffer::Buffer;
use crate::parallel;
use crate::simd::{ACCUMULATORS, FEW, ROUND};
use crate::strided::Collapsed;
use core::ops::Range;

/// Rows that are folded in one call where they lie.
const ROWS: usize = 8 * ROUND;
/// Bytes of the columns that are folded together: memory is read in long pieces, and the accumulators stay in the second cache.
const BYTES: usize = 4096;
/// The same where rows are brought into order.
const TILE_BYTES: usize = 1024;
/// Columns of the narrowest band.
const STEP: usize = 16;
/// Columns and rows that are worth accumulators.
const WORTH: usize = 64;

/// Columns of pieces.
pub struct Columns<'a, E> {
    folding: &'a Folding<E>,
    /// The other dimensions of the grid.
    others: Collapsed<2>,
    /// Number of columns, and from one to the next, in the operand and in the results.
    count: usize,
    step: usize,
    result_step: usize,
    /// Columns of a band.
    width: usize,
}

impl<'a, E: Folded> Columns<'a, E> {
    /// The columns along the dimension of the grid whose elements are nearest, if they are nearer than those of a piece.
    pub fn new(folding: &'a Folding<E>) -> Option<Self> {
        let (grid, piece) = (&folding.grid, folding.piece(0));
        let (d, along) = (grid.nearest(0)?, piece.nearest(0)?);
        let (count, rows) = (grid.shape[d], piece.rows() * piece.inner());
        if grid.distance(0, d) >= piece.distance(0, along) || count * rows.min(WORTH) < WORTH {
            return None;
        }
        let (step, others) = (grid.strides[0][d], grid.without(d));
        // Bands for all threads, however wide: the width changes no result.
        let share = (count * others.rows() * folding.pieces).div_ceil(2 * parallel::threads());
        let in_order = folding.source.is_wide && step == 1;
        let widest = if in_order { BYTES } else { TILE_BYTES } / size_of::<E>();
        let width = count.min(share.next_multiple_of(STEP).clamp(STEP, widest));
        Some(Columns { folding, others, count, step, result_step: grid.strides[1][d], width })
    }

    pub fn run(&self) {
        let Folding { pieces, .. } = *self.folding;
        let (bands, piece) = (self.count.div_ceil(self.width), self.folding.piece(0));
        let cost = piece.rows() * piece.inner() * self.width;
        parallel::for_ranges(self.others.rows() * pieces * bands, cost, &|range| {
            self.fold_range(range, bands)
        });
    }

    fn fold_range(&self, range: Range<usize>, bands: usize) {
        let Folding { pieces, source, .. } = *self.folding;
        let (sums, tile) = (ACCUMULATORS * self.width, ROUND * self.width);
        let no_gap = self.width == self.count && self.folding.piece(0).step(0) == self.count;
        // Rows without a gap are several streams in one page of memory, which is not ready for that: they are copied first.
        let in_order = source.is_wide && self.step == 1 && !(source.is_large && no_gap);
        let mut buffer = Buffer::new((self.width + sums + if in_order { 0 } else { tile }) * size_of::<E>());
        let buffer: &mut [E] = buffer.as_mut_slice().expect("a new buffer is unique");
        let (results, rest) = buffer.split_at_mut(self.width);
        let (accumulators, tile) = rest.split_at_mut(sums);
        let mut offsets = [0; ROWS];
        for index in range {
            let (rest, band) = (index / bands, index % bands);
            let (other, piece) = (rest / pieces, rest % pieces);
            let [start, result] = self.others.row(other);
            let first = band * self.width;
            let start = start
                .wrapping_add(self.folding.piece_start(piece))
                .wrapping_add(first.wrapping_mul(self.step));
            let width = self.width.min(self.count - first);
            let mut rows = Rows {
                columns: self,
                piece: self.folding.piece(piece),
                start,
                width,
                in_order,
                accumulators: &mut accumulators[..ACCUMULATORS * width],
                results: &mut *results,
                tile: &mut *tile,
                offsets: &mut offsets,
            };
            rows.fold();
            let at = result + piece + first * self.result_step;
            // SAFETY: each result is written once.
            unsafe { self.folding.sink.write(at, self.result_step, &mut results[..width]) };
        }
    }
}

/// A piece of each of some neighbouring columns.
struct Rows<'a, E> {
    columns: &'a Columns<'a, E>,
    piece: &'a Collapsed<1>,
    start: usize,
    width: usize,
    /// Whether neighbours can be read where they lie.
    in_order: bool,
    accumulators: &'a mut [E],
    results: &'a mut [E],
    /// Room for the elements of [`ROUND`] rows, unless they are in order.
    tile: &'a mut [E],
    /// Room for the places of rows.
    offsets: &'a mut [usize; ROWS],
}

impl<E: Folded> Rows<'_, E> {
    /// Folds all rows.
    fn fold(&mut self) {
        let (fold, width) = (self.columns.folding.fold, self.width);
        let count = self.piece.rows() * self.piece.inner();
        if count < FEW {
            self.accumulate(0..count, 1, false, true);
            return self.results[..width].copy_from_slice(&self.accumulators[..width]);
        }
        let rounds = count / ROUND * ROUND;
        let together = if self.in_order { ROWS } else { ROUND };
        for first in (0..rounds).step_by(together) {
            self.accumulate(first..rounds.min(first + together), ACCUMULATORS, true, first == 0);
        }
        let blocks = count / ACCUMULATORS * ACCUMULATORS;
        if rounds < blocks {
            self.accumulate(rounds..blocks, ACCUMULATORS, false, rounds == 0);
        }
        if blocks < count {
            self.accumulate(blocks..count, count - blocks, false, blocks == 0);
        }
        if count >= ACCUMULATORS {
            return E::join(fold, self.accumulators, &mut self.results[..width]);
        }
        // Half as many accumulators, until it is one.
        let mut filled = count;
        for left in [8, 4, 2, 1] {
            let (xs, ys) = self.accumulators.split_at_mut(left * width);
            E::merge(fold, xs, &ys[..(filled - left) * width]);
            filled = left;
        }
        self.results[..width].copy_from_slice(&self.accumulators[..width]);
    }

    /// Whether each row begins where the one before it ends.
    fn has_no_gap(&self) -> bool {
        let Columns { step, count, .. } = *self.columns;
        let piece = self.piece;
        piece.shape.len() == 1 && self.width == count && piece.step(0) == step.wrapping_mul(count)
    }

    /// Folds rows into so many accumulators.
    fn accumulate(&mut self, rows: Range<usize>, lanes: usize, by_four: bool, fresh: bool) {
        let Columns { folding, step, .. } = *self.columns;
        let (piece, width, first) = (self.piece, self.width, self.start);
        let place = |row: usize| first.wrapping_add(piece.place(row)[0]);
        let no_gap = self.has_no_gap();
        if !self.in_order {
            let size = if no_gap { rows.len() * width } else { width };
            for (k, row) in self.tile[..rows.len() * width].chunks_exact_mut(size).enumerate() {
                let from = folding.source.at(place(rows.start + k));
                // SAFETY: the rows lie within the tensor.
                unsafe { (folding.source.load)(from, step, row) };
            }
        }
        // Without a gap, the rows of a block are one row.
        let joined = no_gap || !self.in_order;
        let (stride, row_width) = if joined { (lanes, lanes * width) } else { (1, width) };
        let offsets = &mut self.offsets[..rows.len() / stride];
        for (k, offset) in offsets.iter_mut().enumerate() {
            *offset = if self.in_order { place(rows.start + k * stride) } else { k * row_width };
        }
        let start = if self.in_order { folding.source.at(0).cast() } else { self.tile.as_ptr() };
        let accumulators = &mut self.accumulators[..lanes * width];
        let blocks = Blocks { start, offsets, width: row_width, by_four, fresh, accumulators };
        // SAFETY: the rows lie within the tensor or the tile.
        unsafe { E::accumulate(folding.fold, blocks) };
    }
}
