//! The exponential function with AVX-512, whose instruction for powers of two stands for eight others.

use core::arch::x86_64::*;

/// `e^x`: the bits of [`super::single::exp`].
#[inline]
#[target_feature(enable = "avx512f")]
pub fn exp(x: __m512) -> __m512 {
    exp_up_to_90(_mm512_min_ps(_mm512_set1_ps(90.0), x))
}

/// As [`exp`], of numbers up to 90, or NaN.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn exp_up_to_90(x: __m512) -> __m512 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    const POLYNOMIAL: [f32; 6] =
        [1.987_569_2e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5];
    let splat = |x: f32| _mm512_set1_ps(x);
    // The second operand is the result if one is NaN.
    let x = _mm512_max_ps(splat(-104.0), x);
    let shifted = _mm512_fmadd_ps(x, splat(core::f32::consts::LOG2_E), splat(ROUND));
    let n = _mm512_sub_ps(shifted, splat(ROUND));
    let r = _mm512_fmadd_ps(n, splat(-0.693_359_4), x);
    let r = _mm512_fmadd_ps(n, splat(2.121_944_4e-4), r);
    let mut p = splat(POLYNOMIAL[0]);
    for &coefficient in &POLYNOMIAL[1..] {
        p = _mm512_fmadd_ps(p, r, splat(coefficient));
    }
    let p = _mm512_add_ps(_mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r), splat(1.0));
    _mm512_scalef_ps(p, n)
}

#[cfg(test)]
mod tests {
    use super::super::single;
    use super::*;
    use crate::miri::shrink;
    use crate::simd::{Level, level};

    #[test]
    fn exponentials_are_those_of_single_elements() {
        let bits =
            (0..=u32::MAX).step_by(shrink(20_011, 20_000_003)).map(f32::from_bits).filter(|x| !x.is_nan());
        let special = [0.0, -103.97, -87.4, -104.5, 88.7, 88.73, 90.5, f32::INFINITY, f32::NEG_INFINITY];
        for x in bits.chain(special) {
            let (found, wanted) = (single::exp::<true>(x), f64::from(x).exp());
            let is_near = (f64::from(found) - wanted).abs() <= 2e-7 * wanted + 1.5e-45;
            assert!(is_near || found.is_infinite() && (wanted as f32).is_infinite(), "{x:e}: {found:e}");
            if level() == Level::V4 {
                // SAFETY: the machine was asked.
                let sixteen = unsafe { _mm512_cvtss_f32(exp(_mm512_set1_ps(x))) };
                assert_eq!(sixteen.to_bits(), found.to_bits(), "{x:e}");
            }
        }
        assert!(single::exp::<true>(f32::NAN).is_nan());
        if level() == Level::V4 {
            // SAFETY: as above.
            assert!(unsafe { _mm512_cvtss_f32(exp(_mm512_set1_ps(f32::NAN))) }.is_nan());
        }
    }
}
