//! Rows copied to where products want them.

use super::problem::View;
use super::product::StridedRows;
use super::{KEYS, PAD};
use crate::elements::number::Number;
use crate::memory::Buffer;

/// Memory for parts of these lengths, which begin with a cache line.
pub struct Scratch {
    buffer: Buffer,
}

impl Scratch {
    pub fn new<E>(lengths: &[usize]) -> Self {
        let len: usize = lengths.iter().map(|len| len.next_multiple_of(PAD)).sum();
        Scratch { buffer: Buffer::new(len * size_of::<E>()) }
    }

    /// The parts, in order; of any content.
    pub fn parts<E: Number, const N: usize>(&mut self, lengths: [usize; N]) -> [&mut [E]; N] {
        let mut rest: &mut [E] = self.buffer.as_mut_slice().expect("a new buffer is unique");
        lengths.map(|len| {
            let (part, others) = core::mem::take(&mut rest).split_at_mut(len.next_multiple_of(PAD));
            rest = others;
            &mut part[..len]
        })
    }
}

/// The length of a packed row.
pub fn padded(size: usize) -> usize {
    size.next_multiple_of(PAD)
}

/// Location of rows of a head: batch, head, the first row, and their number.
#[derive(Clone, Copy, Debug)]
pub struct HeadRows {
    pub batch: usize,
    pub head: usize,
    pub first: usize,
    pub count: usize,
}

/// Copies rows of `size` elements times `factor`; those after the last one, and what pads them, are 0.
///
/// # Safety
/// The rows may be read.
pub unsafe fn rows<E: Number>(from: &View<E>, place: HeadRows, size: usize, factor: E, to: &mut [E]) {
    let (width, step) = (padded(size), from.step());
    if width == 0 {
        return;
    }
    let (packed, rest) = to.split_at_mut(place.count * width);
    for (row, to) in packed.chunks_exact_mut(width).enumerate() {
        let from = from.row(place.batch, place.head, place.first + row);
        let (own, padding) = to.split_at_mut(size);
        if step == 1 {
            // SAFETY: by the contract.
            let from = unsafe { core::slice::from_raw_parts(from, size) };
            own.iter_mut().zip(from).for_each(|(to, &x)| *to = x.times(factor));
        } else {
            for (at, to) in own.iter_mut().enumerate() {
                // SAFETY: by the contract.
                *to = unsafe { from.wrapping_add(at.wrapping_mul(step)).read() }.times(factor);
            }
        }
        padding.fill(E::ZERO);
    }
    rest.fill(E::ZERO);
}

/// The rows where they are, if products can read them there, or else copied to `to`.
///
/// # Safety
/// The rows may be read, as long as what comes back is used.
pub unsafe fn rows_or_view<E: Number>(
    from: &View<E>,
    place: HeadRows,
    size: usize,
    to: &mut [E],
) -> StridedRows<*const E> {
    if from.step() == 1 && size.is_multiple_of(PAD) {
        return StridedRows { start: from.row(place.batch, place.head, place.first), step: from.row_step() };
    }
    // SAFETY: by the contract.
    unsafe { rows(from, place, size, E::ONE, to) };
    StridedRows { start: to.as_ptr(), step: padded(size) }
}

/// Copies rows of `size` elements as columns, in tiles of [`KEYS`]: a line of a tile has one element of each
/// of its rows. Lines end with zeros where rows are no multiple of [`PAD`].
///
/// # Safety
/// The rows may be read.
pub unsafe fn columns<E: Number>(from: &View<E>, place: HeadRows, size: usize, to: &mut [E]) {
    let step = from.step();
    for first in (0..place.count).step_by(PAD) {
        let count = PAD.min(place.count - first);
        let tile = &mut to[first / KEYS * KEYS * size..];
        let row = |row: usize| from.row(place.batch, place.head, place.first + first + row.min(count - 1));
        let starts: [*const E; PAD] = core::array::from_fn(row);
        for at in 0..size {
            let line = &mut tile[at * KEYS + first % KEYS..][..PAD];
            for (to, start) in line.iter_mut().zip(starts) {
                // SAFETY: by the contract.
                *to = unsafe { start.wrapping_add(at.wrapping_mul(step)).read() };
            }
            line[count..].fill(E::ZERO);
        }
    }
}
