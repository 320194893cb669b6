//! The instructions as loops, for tests on processors that have none.

use super::engine::{Engine, Panels, SIDE};
use super::pack::{BLOCK, LINES, PAIRS};

/// Adds each product of pairs to its sum.
#[derive(Clone, Copy)]
pub struct Loops;

impl Engine for Loops {
    const READS_ROWS: bool = true;

    unsafe fn begin(self) {}

    unsafe fn end(self) {}

    unsafe fn multiply(self, panels: &Panels, tile: *mut f32) {
        let number = |bits: u32| f32::from_bits(bits << 16);
        for row in 0..panels.rows.min(SIDE) {
            let mut sums = [0.0; SIDE];
            for (block, pair) in (0..panels.blocks).flat_map(|k| (0..PAIRS).map(move |pair| (k, pair))) {
                // SAFETY: a pair of the row.
                let x = unsafe {
                    panels
                        .left
                        .row(row)
                        .add(block * panels.left.block)
                        .cast::<u32>()
                        .add(pair)
                        .read_unaligned()
                };
                let (low, high) = (number(x & 0xffff), number(x >> 16));
                for (right, sums) in sums.chunks_mut(LINES).enumerate() {
                    let y = right * panels.panel() + block * BLOCK + pair * LINES;
                    // SAFETY: a row of a block of the panels.
                    let ys = unsafe { panels.right.add(y).cast::<[u32; LINES]>().read() };
                    for (sum, y) in sums.iter_mut().zip(ys) {
                        *sum += low * number(y & 0xffff) + high * number(y >> 16);
                    }
                }
            }
            // SAFETY: a row of the tile.
            unsafe { tile.add(row * SIDE).cast::<[f32; SIDE]>().write(sums) };
        }
    }
}
