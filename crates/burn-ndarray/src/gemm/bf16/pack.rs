//! Factors as panels: sixteen rows of the left one or columns of the right one, in blocks of sixteen pairs of
//! neighbours along the depth. A block of the left factor holds the pairs of one row after the other, one of
//! the right factor the same pair of all columns after the other. Lines and pairs that a factor does not have
//! are zeros.

use crate::kernels::transpose16::transpose;
use crate::threads::parallel::Shared;

/// Rows or columns of a panel.
pub const LINES: usize = 16;
/// Pairs of a line in a block.
pub const PAIRS: usize = 16;
/// Pairs of a block.
pub const BLOCK: usize = LINES * PAIRS;

/// Elements of the lines of a block.
pub const DEPTH: usize = 2 * PAIRS;

/// Which factor a panel is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// The rows of the left factor, or the columns of the right one.
#[derive(Clone, Copy)]
pub struct Lines {
    pub side: Side,
    pub start: Shared<u16>,
    pub count: usize,
    pub depth: usize,
    /// Elements from line to line, and along the depth.
    pub step: isize,
    pub along: isize,
}

impl Lines {
    fn at(&self, line: usize, k: usize) -> *const u16 {
        let at = line as isize * self.step + k as isize * self.along;
        self.start.get().wrapping_offset(at).cast_const()
    }

    /// Packs two panels from a line on. Neighbours in a row of the right factor are in both: their cache
    /// lines are read once.
    ///
    /// # Safety
    /// The elements of the factor may be read, and both panels written.
    pub unsafe fn pack(&self, first: usize, blocks: usize, panels: *mut u32) {
        for block in 0..blocks {
            for panel in 0..2 {
                let out = panels.wrapping_add((panel * blocks + block) * BLOCK);
                // SAFETY: by the contract.
                unsafe { self.pack_block(first + panel * LINES, block * DEPTH, out) };
            }
        }
    }

    /// # Safety
    /// As for [`Lines::pack`], of one block.
    unsafe fn pack_block(&self, line: usize, k: usize, out: *mut u32) {
        let is_whole = line + LINES <= self.count && k + DEPTH <= self.depth;
        // SAFETY: by the contract; a whole block lies within the factor.
        unsafe {
            match self.side {
                _ if !is_whole || self.along != 1 && self.step != 1 => self.pick(line, k, out),
                Side::Left if self.along == 1 => self.copy(line, k, out),
                Side::Right if self.along != 1 => self.interleave(line, k, out),
                Side::Left => {
                    let mut block = [0; BLOCK];
                    self.interleave(line, k, block.as_mut_ptr());
                    transpose::<u32>(out, PAIRS, block.as_ptr(), LINES);
                }
                Side::Right => {
                    let mut block = [0; BLOCK];
                    self.copy(line, k, block.as_mut_ptr());
                    transpose::<u32>(out, LINES, block.as_ptr(), PAIRS);
                }
            }
        }
    }

    /// The pairs of line after line.
    ///
    /// # Safety
    /// The lines have a whole block, whose elements are neighbours along the depth.
    unsafe fn copy(&self, line: usize, k: usize, out: *mut u32) {
        for n in 0..LINES {
            // SAFETY: by the contract.
            unsafe {
                let pairs = self.at(line + n, k).cast::<[u32; PAIRS]>().read_unaligned();
                out.add(n * PAIRS).cast::<[u32; PAIRS]>().write(pairs);
            }
        }
    }

    /// The lines of pair after pair.
    ///
    /// # Safety
    /// The lines have a whole block, and are neighbours.
    unsafe fn interleave(&self, line: usize, k: usize, out: *mut u32) {
        for pair in 0..PAIRS {
            // SAFETY: by the contract.
            unsafe {
                let [low, high] = [0, 1]
                    .map(|odd| self.at(line, k + 2 * pair + odd).cast::<[u16; LINES]>().read_unaligned());
                let mut pairs = [0; LINES];
                for n in 0..LINES {
                    pairs[n] = u32::from(low[n]) | u32::from(high[n]) << 16;
                }
                out.add(pair * LINES).cast::<[u32; LINES]>().write(pairs);
            }
        }
    }

    /// Element after element, with zeros for those that there are not.
    ///
    /// # Safety
    /// As for [`Lines::pack`], of one block.
    unsafe fn pick(&self, line: usize, k: usize, out: *mut u32) {
        let element = |line: usize, k: usize| match line < self.count && k < self.depth {
            // SAFETY: by the contract: it is an element of the factor.
            true => u32::from(unsafe { self.at(line, k).read() }),
            false => 0,
        };
        for n in 0..LINES {
            for pair in 0..PAIRS {
                let k = k + 2 * pair;
                let both = element(line + n, k) | element(line + n, k + 1) << 16;
                let at = match self.side {
                    Side::Left => n * PAIRS + pair,
                    Side::Right => pair * LINES + n,
                };
                // SAFETY: by the contract.
                unsafe { out.add(at).write(both) };
            }
        }
    }
}
