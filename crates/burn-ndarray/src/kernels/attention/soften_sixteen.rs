//! The softmax of a tile of scores with AVX-512.

use super::score_tile::{Softened, Tile};
use crate::kernels::math::exp_sixteen::exp_up_to_90;
use core::arch::x86_64::*;

const LANES: usize = 16;
/// Maxima of a row that do not wait for each other.
const MAXIMA: usize = 4;
/// Rows that are handled together, for the same reason.
const ROWS: usize = 2;

/// See `Element::soften`: the bits of the loop for other machines.
///
/// # Safety
/// The tile may be read and written, and the machine has AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub unsafe fn soften(scores: Tile<f32>, state: &mut [Softened<f32>]) {
    let (pairs, rest) = state.as_chunks_mut::<ROWS>();
    let first = pairs.len() * ROWS;
    for (at, pair) in pairs.iter_mut().enumerate() {
        // SAFETY: by the contract.
        unsafe { soften_rows(scores, at * ROWS, pair) };
    }
    for (at, known) in rest.as_chunks_mut::<1>().0.iter_mut().enumerate() {
        // SAFETY: by the contract.
        unsafe { soften_rows(scores, first + at, known) };
    }
}

/// # Safety
/// As for [`soften`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn soften_rows<const R: usize>(scores: Tile<f32>, first: usize, state: &mut [Softened<f32>; R]) {
    let start = |row: usize| scores.rows.start.wrapping_add((first + row) * scores.rows.step);
    let mut base = [0.0; R];
    for row in 0..R {
        // SAFETY: by the contract.
        let max = unsafe { largest(start(row), scores.len, state[row].max) };
        // All scores of the row are masked: base 0 makes every exponential zero.
        base[row] = if max == f32::NEG_INFINITY { 0.0 } else { max };
        let before = state[row].max;
        let factor = match before == base[row] {
            true => 1.0,
            false => _mm512_cvtss_f32(exp_up_to_90(_mm512_set1_ps(before - base[row]))),
        };
        state[row] = Softened { max, sum: state[row].sum * factor, factor };
    }
    let mut sums = [_mm512_setzero_ps(); R];
    for at in (0..scores.len).step_by(LANES) {
        for row in 0..R {
            let place = start(row).wrapping_add(at);
            // SAFETY: by the contract; a row is whole vectors.
            unsafe {
                let score = _mm512_loadu_ps(place);
                let exponential = exp_up_to_90(_mm512_sub_ps(score, _mm512_set1_ps(base[row])));
                _mm512_storeu_ps(place, exponential);
                sums[row] = _mm512_add_ps(sums[row], exponential);
            }
        }
    }
    for row in 0..R {
        state[row].sum += _mm512_reduce_add_ps(sums[row]);
    }
}

/// The largest of a row and of `least`; NaN is none.
///
/// # Safety
/// The row, whole vectors, may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn largest(row: *const f32, len: usize, least: f32) -> f32 {
    let mut maxima = [_mm512_set1_ps(least); MAXIMA];
    for first in (0..len).step_by(MAXIMA * LANES) {
        for (k, max) in maxima.iter_mut().enumerate() {
            let at = first + k * LANES;
            if at < len {
                // SAFETY: by the contract. The second operand is the result if one is NaN.
                *max = unsafe { _mm512_max_ps(_mm512_loadu_ps(row.add(at)), *max) };
            }
        }
    }
    let [a, b, c, d] = maxima;
    _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d)))
}
