//! Squares of 16 by 16 elements, exchanged in registers.

use bytemuck::Pod;

/// Side of a square: a cache line of 4-byte elements.
pub const SIDE: usize = 16;
/// Half of it.
pub const HALF: usize = SIDE / 2;

/// Exchanges rows and columns: `out[r * row_step + c] = x[c * col_step + r]`.
///
/// # Safety
/// The squares may be read and written, and do not overlap.
#[inline]
pub unsafe fn transpose<E: Pod>(out: *mut E, row_step: usize, x: *const E, col_step: usize) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if size_of::<E>() == 4 && crate::simd::level() != crate::simd::Level::Baseline {
        // SAFETY: the machine has AVX2, and by the contract.
        return unsafe { avx2::transpose(out.cast(), row_step, x.cast(), col_step) };
    }
    // SAFETY: by the contract.
    unsafe { plain::<E, SIDE>(out, row_step, x, col_step) }
}

/// As [`transpose`], of half as many rows and columns.
///
/// # Safety
/// The squares may be read and written, and do not overlap.
#[inline]
pub unsafe fn transpose_half<E: Pod>(out: *mut E, row_step: usize, x: *const E, col_step: usize) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if size_of::<E>() == 4 && crate::simd::level() != crate::simd::Level::Baseline {
        // SAFETY: the machine has AVX2, and by the contract.
        return unsafe { avx2::quarter(out.cast(), row_step, x.cast(), col_step) };
    }
    // SAFETY: by the contract.
    unsafe { plain::<E, HALF>(out, row_step, x, col_step) }
}

/// # Safety
/// As above.
unsafe fn plain<E: Pod, const SIDE: usize>(out: *mut E, row_step: usize, x: *const E, col_step: usize) {
    let mut square = [[E::zeroed(); SIDE]; SIDE];
    // SAFETY: by the contract.
    unsafe {
        for (c, column) in square.iter_mut().enumerate() {
            *column = x.wrapping_add(c.wrapping_mul(col_step)).cast::<[E; SIDE]>().read_unaligned();
        }
        for r in 0..SIDE {
            let row: [E; SIDE] = core::array::from_fn(|c| square[c][r]);
            out.wrapping_add(r.wrapping_mul(row_step)).cast::<[E; SIDE]>().write_unaligned(row);
        }
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2 {
    use super::SIDE;
    use core::arch::x86_64::*;

    /// # Safety
    /// As for [`super::transpose`], on a machine with AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose(out: *mut f32, row_step: usize, x: *const f32, col_step: usize) {
        for c in (0..SIDE).step_by(8) {
            for r in (0..SIDE).step_by(8) {
                let from = x.wrapping_add(c.wrapping_mul(col_step)).wrapping_add(r);
                let to = out.wrapping_add(r.wrapping_mul(row_step)).wrapping_add(c);
                // SAFETY: a quarter of the squares.
                unsafe { quarter(to, row_step, from, col_step) };
            }
        }
    }

    /// 8 by 8 elements: pairs, then pairs of pairs, then halves are swapped.
    ///
    /// # Safety
    /// As above.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn quarter(out: *mut f32, row_step: usize, x: *const f32, col_step: usize) {
        // SAFETY: by the contract.
        let load = |c: usize| unsafe { _mm256_loadu_ps(x.wrapping_add(c.wrapping_mul(col_step))) };
        let (a, b, c, d) = (load(0), load(1), load(2), load(3));
        let (e, f, g, h) = (load(4), load(5), load(6), load(7));
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        let (ef_low, ef_high) = (_mm256_unpacklo_ps(e, f), _mm256_unpackhi_ps(e, f));
        let (gh_low, gh_high) = (_mm256_unpacklo_ps(g, h), _mm256_unpackhi_ps(g, h));
        let left = [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
        ];
        let right = [
            _mm256_shuffle_ps::<0x44>(ef_low, gh_low),
            _mm256_shuffle_ps::<0xee>(ef_low, gh_low),
            _mm256_shuffle_ps::<0x44>(ef_high, gh_high),
            _mm256_shuffle_ps::<0xee>(ef_high, gh_high),
        ];
        for k in 0..4 {
            let first = _mm256_permute2f128_ps::<0x20>(left[k], right[k]);
            let second = _mm256_permute2f128_ps::<0x31>(left[k], right[k]);
            // SAFETY: by the contract.
            unsafe {
                _mm256_storeu_ps(out.wrapping_add(k.wrapping_mul(row_step)), first);
                _mm256_storeu_ps(out.wrapping_add((k + 4).wrapping_mul(row_step)), second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchanges<E: Pod + PartialEq + core::fmt::Debug>(element: impl Fn(usize) -> E) {
        let (row_step, col_step) = (19, 23);
        let x: Vec<E> = (0..SIDE * col_step).map(&element).collect();
        for side in [SIDE, HALF] {
            let mut out = vec![element(9999); SIDE * row_step];
            // SAFETY: the rows of both are at least a side long.
            unsafe {
                match side {
                    SIDE => transpose(out.as_mut_ptr(), row_step, x.as_ptr(), col_step),
                    _ => transpose_half(out.as_mut_ptr(), row_step, x.as_ptr(), col_step),
                }
            }
            for (at, found) in out.iter().enumerate() {
                let (r, c) = (at / row_step, at % row_step);
                let expected = if c < side && r < side { x[c * col_step + r] } else { element(9999) };
                assert_eq!(*found, expected, "{r}, {c} of {side}");
            }
        }
    }

    #[test]
    fn squares_of_all_widths_are_exchanged() {
        exchanges(|i| i as u8);
        exchanges(|i| i as u16);
        exchanges(|i| i as u32);
        exchanges(|i| i as u64);
    }
}
