//! The recurrent weight as products want it: block after block of units, the rows of a block without gaps.

use super::PAD;
use super::problem::Tiles;
use crate::elements::number::Number;
use crate::gemm::matrix::Matrix;
use crate::memory::Buffer;
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Columns of the recurrent weight `[size, gates size]`, or rows of it as columns.
#[derive(Clone, Copy, Debug)]
pub struct Weight<E> {
    start: Shared<E>,
    size: usize,
    gates: usize,
    is_packed: bool,
}

fn constant<E>(start: *mut E, row_step: usize, col_step: usize) -> Matrix<*const E> {
    Matrix::new(start.cast_const(), row_step, col_step)
}

impl<E: Number> Weight<E> {
    /// The weight as it lies.
    pub fn new(start: *const E, size: usize, gates: usize) -> Self {
        Weight { start: Shared(start.cast_mut()), size, gates, is_packed: false }
    }

    /// Copies the columns of a block of units, gate after gate, into rows of neighbours: what `Self::gate`
    /// reads.
    ///
    /// # Safety
    /// The weight may be read.
    pub unsafe fn packed(self, tiles: &Tiles, place: &mut Buffer) -> Self {
        // SAFETY: by the contract; a block has as many elements in the copy as in the weight.
        unsafe {
            self.pack(tiles, place, |weight, (first, units), to| {
                for row in 0..weight.size {
                    for gate in 0..weight.gates {
                        let from = weight.start.get().add((row * weight.gates + gate) * weight.size + first);
                        let to = to.add((row * weight.gates + gate) * units);
                        core::ptr::copy_nonoverlapping(from, to, units);
                    }
                }
            })
        }
    }

    /// Copies the rows of a block of units as columns: what `Self::back` reads.
    ///
    /// # Safety
    /// The weight may be read.
    pub unsafe fn packed_back(self, tiles: &Tiles, place: &mut Buffer) -> Self {
        // SAFETY: by the contract; a block has as many elements in the copy as in the weight.
        unsafe {
            self.pack(tiles, place, |weight, (first, units), to| {
                let depth = weight.gates * weight.size;
                // A cache line of each row after the other.
                for line in (0..depth).step_by(PAD) {
                    for unit in 0..units {
                        for row in line..depth.min(line + PAD) {
                            let x = weight.start.get().add((first + unit) * depth + row).read();
                            to.add(row * units + unit).write(x);
                        }
                    }
                }
            })
        }
    }

    /// # Safety
    /// As for `copy`, which writes the elements of a block.
    unsafe fn pack(
        self,
        tiles: &Tiles,
        place: &mut Buffer,
        copy: impl Fn(&Self, (usize, usize), *mut E) + Sync,
    ) -> Self {
        let depth = self.gates * self.size;
        *place = Buffer::new(depth * self.size * size_of::<E>());
        let all: &mut [E] = place.as_mut_slice().expect("a new buffer is unique");
        let start = Shared(all.as_mut_ptr());
        let blocks: alloc::vec::Vec<_> = tiles.blocks().collect();
        parallel::for_ranges(blocks.len(), depth * blocks[0].1, &|range| {
            for &(first, units) in &blocks[range] {
                copy(&self, (first, units), start.get().wrapping_add(first * depth));
            }
        });
        Weight { start, is_packed: true, ..self }
    }

    /// The columns of some units for one gate, or for all gates where they are packed.
    pub fn gate(&self, gate: usize, (first, units): (usize, usize)) -> Matrix<*const E> {
        let width = self.gates * self.size;
        if self.is_packed {
            let start = self.start.get().wrapping_add(first * width + gate * units);
            return constant(start, self.gates * units, 1);
        }
        constant(self.start.get().wrapping_add(gate * self.size + first), width, 1)
    }

    /// First gate and number of columns of the products that some gates take.
    pub fn products(
        &self,
        gates: Range<usize>,
        units: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<E> {
        let together = if self.is_packed { gates.len() } else { 1 };
        gates.step_by(together).map(move |gate| (gate, together * units))
    }

    /// The rows of some units as columns, from those of a gate on.
    pub fn back(&self, gate: usize, (first, units): (usize, usize)) -> Matrix<*const E> {
        let depth = self.gates * self.size;
        let (row_step, col_step) = if self.is_packed { (units, 1) } else { (1, depth) };
        let start = self.start.get().wrapping_add(first * depth + gate * self.size * row_step);
        constant(start, row_step, col_step)
    }
}
