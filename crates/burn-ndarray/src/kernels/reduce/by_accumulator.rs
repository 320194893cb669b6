//! Columns of many rows on several threads, by accumulators: threads that share the columns alone would read
//! memory in short pieces. A thread folds the rows of one accumulator, in long pieces of each,
//! and all accumulators are joined when the last row has been read.

use super::columns::Columns;
use super::fold::{Blocks, ROWS_AHEAD};
use super::folded::Folded;
use crate::memory::Buffer;
use crate::simd::{ACCUMULATORS, ROUND};
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Rows that follow those of a list, whose starts are prefetched.
const AHEAD: usize = ROWS_AHEAD / ACCUMULATORS;

/// Rows of each piece of some columns, one accumulator after the other.
pub struct ByAccumulator<'a, E> {
    columns: &'a Columns<'a, E>,
    /// Columns of a band.
    width: usize,
}

impl<'a, E: Folded> ByAccumulator<'a, E> {
    pub fn new(columns: &'a Columns<'a, E>) -> Self {
        ByAccumulator { columns, width: columns.width }
    }

    fn bands(&self) -> usize {
        self.columns.count.div_ceil(self.width)
    }

    pub fn run(&self) {
        let (bands, folding) = (self.bands(), self.columns.folding);
        let pieces = self.columns.others.rows() * folding.pieces * bands;
        let mut all = Buffer::new(pieces * ACCUMULATORS * self.width * size_of::<E>());
        let start = Shared(all.as_mut_slice::<E>().expect("a new buffer is unique").as_mut_ptr());
        let rows = self.columns.rows(0).div_ceil(ACCUMULATORS);
        parallel::for_ranges(pieces * ACCUMULATORS, rows * self.width, &|range| {
            let mut room = Buffer::new((rows + AHEAD) * size_of::<usize>());
            let places: &mut [usize] = room.as_mut_slice().expect("a new buffer is unique");
            // Bands of an accumulator follow each other: the rows of a band are near those of the next.
            for unit in range {
                let (rest, band) = (unit / bands, unit % bands);
                let (piece, lane) = (rest / ACCUMULATORS, rest % ACCUMULATORS);
                let columns = self.band(band);
                let at = ((piece * bands + band) * ACCUMULATORS) * self.width + lane * columns.len();
                // SAFETY: each unit has its own part of the buffer.
                let sums = unsafe { core::slice::from_raw_parts_mut(start.get().add(at), columns.len()) };
                // SAFETY: the band lies within the tensor.
                unsafe { self.accumulate(piece, columns.start, lane, places, sums) };
            }
        });
        let all = all.as_slice::<E>();
        parallel::for_ranges(pieces, ACCUMULATORS * self.width, &|range| {
            let mut room = Buffer::new(self.width * size_of::<E>());
            let results: &mut [E] = room.as_mut_slice().expect("a new buffer is unique");
            for unit in range {
                let columns = self.band(unit % bands);
                let results = &mut results[..columns.len()];
                let sums = &all[unit * ACCUMULATORS * self.width..][..ACCUMULATORS * columns.len()];
                E::join(folding.fold, sums, results);
                let (_, result) = self.columns.piece(unit / bands);
                let step = self.columns.result_step;
                // SAFETY: each result is written once.
                unsafe { folding.sink.write(result + columns.start * step, step, results) };
            }
        });
    }

    /// The columns of a band.
    fn band(&self, band: usize) -> Range<usize> {
        band * self.width..self.columns.count.min((band + 1) * self.width)
    }

    /// Folds the rows of an accumulator, in the order in which [`crate::simd::fold`] folds one run. `places`
    /// is room for their starts.
    ///
    /// # Safety
    /// The columns lie within the tensor.
    unsafe fn accumulate(
        &self,
        piece: usize,
        first: usize,
        lane: usize,
        places: &mut [usize],
        sums: &mut [E],
    ) {
        let Columns { folding, step, .. } = *self.columns;
        let (start, _) = self.columns.piece(piece);
        let rows = self.columns.rows(piece % folding.pieces);
        let own = rows.saturating_sub(lane).div_ceil(ACCUMULATORS);
        self.columns.find_rows(lane, places);
        sums.fill(folding.fold.identity());
        let first = start.wrapping_add(first.wrapping_mul(step));
        let by_four = rows / ROUND * (ROUND / ACCUMULATORS);
        for (range, by_four) in [(0..by_four, true), (by_four..own, false)] {
            let blocks = Blocks {
                start: folding.source.at(first).cast(),
                count: range.len(),
                offsets: &places[range.start..],
                width: sums.len(),
                by_four,
                is_large: folding.source.is_large,
                accumulators: &mut *sums,
            };
            // SAFETY: by the contract.
            unsafe { E::accumulate(folding.fold, blocks) };
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use crate::kernels::layout::permute;
    use crate::kernels::reduce::reduce;
    use crate::tensor::NdTensor;
    use burn_backend::{DType, ReduceOp, TensorSpec};
    use std::vec::Vec;

    /// Rows of several threads, in whole rounds and not, as one piece and as two.
    #[test]
    fn columns_have_the_bits_of_rows() {
        for (rows, columns) in [(8192, 500), (1024, 5_003), (7_003, 513), (10_303, 333)] {
            let value = |i: usize| ((i * 7919 % 10_007) as f32 - 5000.0).cbrt();
            let x = NdTensor::with::<f32>(TensorSpec::new([rows, columns], DType::F32), |xs| {
                xs.iter_mut().enumerate().for_each(|(i, x)| *x = value(i));
            });
            let turned = permute(x.clone(), &[1, 0]).into_contiguous();
            for op in [ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Max] {
                let bits = |x: NdTensor, dim: usize| -> Vec<u32> {
                    reduce(op, x, &[dim]).slice::<f32>().iter().map(|x| x.to_bits()).collect()
                };
                assert_eq!(bits(x.clone(), 0), bits(turned.clone(), 1), "{op:?} of {rows} x {columns}");
            }
        }
    }
}
