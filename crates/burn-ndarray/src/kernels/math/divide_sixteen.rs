//! Division of many `f32` by one, with AVX-512: a division takes as long as ten products.
//!
//! A quotient is the product with the reciprocal, corrected by its remainder, which one instruction computes
//! exactly. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor" (1990):
//! where the reciprocal is rounded to nearest and the quotient is off by less than a unit in the last place,
//! the corrected one is that of a division, as long as nothing overflows or is denormal.

use core::arch::x86_64::*;

/// Exponents of divisors for which no step overflows or underflows, and no remainder is rounded, where those
/// of quotients are at least -63 and at most 64: the two highest bits of these differ.
const DIVISORS: u32 = 32;
/// The highest bit of the exponent.
const EXPONENT: i32 = 1 << 30;
/// Mantissas of divisors so near to two that the bound of the proof does not hold.
const NEAR_TWO: u32 = 0x7f_fff0;

/// A divisor and its reciprocal, as the sum of two numbers.
#[derive(Clone, Copy)]
pub struct Divisor {
    y: f32,
    reciprocal: f32,
    rest: f32,
}

impl Divisor {
    /// `None` for those that need a division.
    #[inline]
    #[target_feature(enable = "avx512f,fma")]
    pub fn new(y: f32) -> Option<Self> {
        let exponent = y.to_bits() >> 23 & 0xff;
        let is_ordinary = exponent.wrapping_sub(127 - DIVISORS) <= 2 * DIVISORS;
        if !is_ordinary || y.to_bits() & 0x7f_ffff >= NEAR_TWO {
            return None;
        }
        let reciprocal = 1.0 / y;
        Some(Divisor { y, reciprocal, rest: (-y).mul_add(reciprocal, 1.0) * reciprocal })
    }
}

/// Divides all elements by `y`, of which `divisor` was made: the bits are those of a division.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub fn divide<const N: usize>(xs: &mut [__m512; N], y: f32, divisor: Option<Divisor>) {
    let Some(divisor) = divisor else {
        for x in xs {
            *x = _mm512_div_ps(*x, _mm512_set1_ps(y));
        }
        return;
    };
    let (y, reciprocal) = (_mm512_set1_ps(divisor.y), _mm512_set1_ps(divisor.reciprocal));
    let rest = _mm512_set1_ps(divisor.rest);
    let (mut quotients, mut ordinary) = (*xs, _mm512_set1_epi32(EXPONENT));
    for quotient in &mut quotients {
        let x = *quotient;
        let near = _mm512_fmadd_ps(x, reciprocal, _mm512_mul_ps(x, rest));
        *quotient = _mm512_fmadd_ps(_mm512_fnmadd_ps(near, y, x), reciprocal, near);
        ordinary = and_ordinary(ordinary, *quotient);
    }
    if are_others(ordinary) != 0 {
        // Zeros divided by numbers above zero are zeros already.
        let zeros_are_right = divisor.y > 0.0;
        for k in 0..N {
            let bits = _mm512_castps_si512(xs[k]);
            let zeros = if zeros_are_right { _mm512_testn_epi32_mask(bits, bits) } else { 0 };
            let ordinary = and_ordinary(_mm512_set1_epi32(EXPONENT), quotients[k]);
            let others = are_others(ordinary) & !zeros;
            if others != 0 {
                quotients[k] = _mm512_mask_div_ps(quotients[k], others, xs[k], y);
            }
        }
    }
    *xs = quotients;
}

/// [`EXPONENT`] where it was before and the two highest bits of the exponent of the quotient differ.
#[inline]
#[target_feature(enable = "avx512f")]
fn and_ordinary(ordinary: __m512i, quotient: __m512) -> __m512i {
    let bits = _mm512_castps_si512(quotient);
    // a & (b ^ c)
    _mm512_ternarylogic_epi32::<0x60>(ordinary, bits, _mm512_add_epi32(bits, bits))
}

/// The quotients, by [`and_ordinary`], that may be wrong.
#[inline]
#[target_feature(enable = "avx512f")]
fn are_others(ordinary: __m512i) -> __mmask16 {
    _mm512_testn_epi32_mask(ordinary, ordinary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::fused::chain_kernel;
    use crate::simd::{Level, level};
    use std::vec::Vec;

    /// Quotients of sixteen numbers by `y`, with their bits.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    fn check(xs: &[f32; 16], y: f32) {
        // SAFETY: the list is as long as a register.
        let mut quotients = [unsafe { _mm512_loadu_ps(xs.as_ptr()) }];
        divide(&mut quotients, y, Divisor::new(y));
        let mut found = [0.0_f32; 16];
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(found.as_mut_ptr(), quotients[0]) };
        for (&x, found) in xs.iter().zip(found) {
            let wanted = core::hint::black_box(x) / core::hint::black_box(y);
            let is_same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(is_same, "{x:e} / {y:e}: {found:e}, not {wanted:e}");
        }
    }

    fn check_all(lists: impl Iterator<Item = ([f32; 16], f32)>) {
        if level() != Level::V4 {
            assert!(!chain_kernel::is_available(), "chains divide by these instructions");
            return;
        }
        // SAFETY: the machine has these instructions.
        lists.for_each(|(xs, y)| unsafe { check(&xs, y) });
    }

    /// Numbers between which quotients are hard to round: the products of divisors with midpoints between two
    /// numbers, rounded either way.
    #[test]
    fn quotients_are_those_of_divisions_for_divisors_of_every_mantissa() {
        let step = if cfg!(debug_assertions) { 97 } else { 1 };
        check_all((0..1_u32 << 23).step_by(step).map(|mantissa| {
            let y = f32::from_bits(127 << 23 | mantissa);
            let mut seed = mantissa.wrapping_mul(0x9e37_79b9) | 1;
            let xs = core::array::from_fn(|k| {
                seed = seed.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                let quotient = 1.0 + f64::from(seed >> 8 & 0x7f_ffff) / f64::from(1 << 23);
                let midpoint = quotient + 0.5 / f64::from(1 << 23);
                let x = (midpoint * f64::from(y)) as f32;
                f32::from_bits(x.to_bits().wrapping_add(k as u32 % 3).wrapping_sub(1))
            });
            (xs, y)
        }));
    }

    #[test]
    fn quotients_of_every_size_are_those_of_divisions() {
        let ends = [0.0, f32::MIN_POSITIVE, f32::from_bits(1), f32::MAX, f32::INFINITY, f32::NAN, 1.0, 1.5];
        let sizes = (0..255_u32).map(|exponent| f32::from_bits(exponent << 23 | 0x2b_cdef));
        let numbers: Vec<f32> = ends.into_iter().chain(sizes).flat_map(|x| [x, -x]).collect();
        let lists: Vec<[f32; 16]> =
            numbers.chunks(16).map(|xs| core::array::from_fn(|k| xs[k % xs.len()])).collect();
        check_all(numbers.iter().flat_map(|&y| lists.iter().map(move |&xs| (xs, y))));
    }
}
