//! AVX-512 BF16: an instruction that adds the products of sixteen pairs to sixteen `f32`.

use super::engine::{Engine, Panels};

/// The instruction of AVX-512 for pairs of `bf16`.
#[derive(Clone, Copy, Debug)]
pub struct Dots;

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod instructions {
    use super::{Engine, Panels};
    use crate::gemm::bf16::engine::SIDE;
    use crate::gemm::bf16::pack::{BLOCK, LINES, PAIRS};
    use core::arch::x86_64::*;
    use std::arch::is_x86_feature_detected as has;

    /// Rows whose sums the registers hold beside two vectors of columns.
    const ROWS: usize = 8;

    impl super::Dots {
        pub fn is_available() -> bool {
            has!("avx512f") && has!("avx512bf16")
        }
    }

    impl Engine for super::Dots {
        const READS_ROWS: bool = true;

        unsafe fn begin(self) {}

        unsafe fn end(self) {}

        unsafe fn multiply(self, panels: &Panels, tile: *mut f32) {
            for row in (0..panels.rows.min(SIDE)).step_by(ROWS) {
                // SAFETY: by the contract: some rows of the tile.
                unsafe { rows(panels, panels.left.row(row), tile.wrapping_add(row * SIDE)) };
            }
        }
    }

    /// The results of some rows, of which `left` is the first one.
    ///
    /// # Safety
    /// As for [`Engine::multiply`].
    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn rows(panels: &Panels, left: *const u16, tile: *mut f32) {
        let mut lines = [left.cast::<u32>(); ROWS];
        for row in 1..ROWS {
            lines[row] = left.wrapping_add(row * panels.left.row).cast();
        }
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        // SAFETY: by the contract; so below.
        let columns = |at: usize| unsafe { pairs(_mm512_loadu_si512(panels.right.wrapping_add(at).cast())) };
        for block in 0..panels.blocks {
            for pair in 0..PAIRS {
                let at = block * BLOCK + pair * LINES;
                let [first, second] = [columns(at), columns(panels.panel() + at)];
                for row in 0..ROWS {
                    // SAFETY: as above.
                    let x = unsafe { lines[row].wrapping_add(pair).read_unaligned() };
                    // SAFETY: the bits of pairs.
                    let x = unsafe { pairs(_mm512_set1_epi32(x.cast_signed())) };
                    sums[row][0] = _mm512_dpbf16_ps(sums[row][0], x, first);
                    sums[row][1] = _mm512_dpbf16_ps(sums[row][1], x, second);
                }
            }
            for line in &mut lines {
                *line = line.cast::<u16>().wrapping_add(panels.left.block).cast();
            }
        }
        for row in 0..ROWS {
            for half in 0..2 {
                let to = tile.wrapping_add(row * SIDE + half * LINES);
                // SAFETY: as above.
                unsafe { _mm512_storeu_ps(to, sums[row][half]) };
            }
        }
    }

    /// The same bits as sixteen pairs.
    ///
    /// # Safety
    /// The machine has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn pairs(bits: __m512i) -> __m512bh {
        // SAFETY: both are 64 bytes of which all values are valid.
        unsafe { core::mem::transmute(bits) }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod instructions {
    use super::{Engine, Panels};

    impl super::Dots {
        pub fn is_available() -> bool {
            false
        }
    }

    impl Engine for super::Dots {
        const READS_ROWS: bool = true;

        unsafe fn begin(self) {}

        unsafe fn end(self) {}

        unsafe fn multiply(self, _panels: &Panels, _tile: *mut f32) {
            unreachable!("this machine has no such instruction");
        }
    }
}
