//! The instructions as loops, for tests on processors that have none.

use super::engine::{Engine, Panels, SIDE};
use super::pack::{BLOCK, LINES, PAIRS};

/// Adds each product of pairs to its sum.
#[derive(Clone, Copy)]
pub struct Loops;

impl Engine for Loops {
    unsafe fn begin(self) {}

    unsafe fn end(self) {}

    unsafe fn multiply(self, panels: &Panels, tile: *mut f32) {
        let number = |bits: u32| f32::from_bits(bits << 16);
        for (row, col) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |col| (row, col))) {
            let mut sum = 0.0;
            for (block, pair) in (0..panels.blocks).flat_map(|k| (0..PAIRS).map(move |pair| (k, pair))) {
                let x = row / LINES * panels.panel() + block * BLOCK + row % LINES * PAIRS + pair;
                let y = col / LINES * panels.panel() + block * BLOCK + pair * LINES + col % LINES;
                // SAFETY: both are elements of the panels.
                let (x, y) = unsafe { (panels.left.add(x).read(), panels.right.add(y).read()) };
                sum += number(x & 0xffff) * number(y & 0xffff) + number(x >> 16) * number(y >> 16);
            }
            // SAFETY: an element of the tile.
            unsafe { tile.add(row * SIDE + col).write(sum) };
        }
    }
}
