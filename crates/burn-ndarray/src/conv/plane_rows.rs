//! Rows of a plane, copied to where kernels find them.

use super::sweep::copy;
use crate::simd::{Lanes, with_lanes};

/// Rows of a plane and their places among padded ones.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The first element, and elements from one row to the next.
    pub from: *const f32,
    pub step: usize,
    /// The padded plane, and elements from one of its rows to the next.
    pub to: *mut f32,
    pub pitch: usize,
    /// Rows, and elements of each.
    pub count: usize,
    pub len: usize,
    pub columns: Columns,
}

/// Where the elements of the first row go: all one after the other, or those of even and of odd number to places of their own.
#[derive(Clone, Copy, Debug)]
pub enum Columns {
    All(usize),
    Apart(usize, usize),
}

with_lanes! {
    /// # Safety
    /// The rows may be read, and their places written.
    pub fn copy_rows(rows: &Rows) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(rows: &Rows) {
    for row in 0..rows.count {
        // SAFETY: by the contract.
        unsafe {
            let (from, to) = (rows.from.add(row * rows.step), rows.to.add(row * rows.pitch));
            match rows.columns {
                Columns::All(at) => copy::<V>(from, rows.len, to.add(at)),
                Columns::Apart(even, odd) => copy_apart::<V>(from, rows.len, to.add(even), to.add(odd)),
            }
        }
    }
}

/// # Safety
/// `len` elements may be read, and half as many written at both places, of even number one more where `len` is odd.
#[inline(always)]
unsafe fn copy_apart<V: Lanes>(from: *const f32, len: usize, even: *mut f32, odd: *mut f32) {
    let mut done = 0;
    while done < len {
        let count = (len - done).min(2 * V::LANES);
        let low = count.min(V::LANES);
        // SAFETY: by the contract.
        unsafe {
            let from = from.add(done);
            let (x, y) = (V::load_first(from, low), V::load_first(from.wrapping_add(low), count - low));
            let (a, b) = x.deinterleave(y);
            a.store_first(even.add(done / 2), count.div_ceil(2));
            b.store_first(odd.add(done / 2), count / 2);
        }
        done += count;
    }
}
