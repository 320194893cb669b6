//! Rounding a tile of sums to results.

use super::engine::SIDE;
use crate::gemm::matrix::Matrix;
use crate::kernels::math::single_to_brain;
use crate::simd::dispatch;

/// A tile of sums, of which so many rows and columns are results.
pub struct ResultTile<'a> {
    pub sums: &'a [f32],
    pub rows: usize,
    pub cols: usize,
    /// Where the results go, whose rows are contiguous.
    pub out: Matrix<*mut u16>,
}

#[inline(always)]
fn body<const FMA: bool>(tile: &ResultTile<'_>) {
    for (row, sums) in tile.sums.as_chunks::<SIDE>().0.iter().take(tile.rows).enumerate() {
        let mut results = [0; SIDE];
        for (result, &sum) in results.iter_mut().zip(sums) {
            *result = single_to_brain(sum);
        }
        let to = tile.out.start.wrapping_offset(row as isize * tile.out.row_step);
        // SAFETY: by the contract of `store`.
        unsafe {
            if tile.cols == SIDE {
                to.cast::<[u16; SIDE]>().write_unaligned(results);
            } else {
                core::ptr::copy_nonoverlapping(results.as_ptr(), to, tile.cols);
            }
        }
    }
}

dispatch! { fn rounded(tile: &ResultTile<'_>) = body }

impl ResultTile<'_> {
    /// Writes the results.
    ///
    /// # Safety
    /// They may be written.
    pub unsafe fn store(&self) {
        rounded(self);
    }
}
