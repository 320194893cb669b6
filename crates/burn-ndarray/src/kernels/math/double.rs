//! Elementary functions of `f64`: those of the standard library, or of `libm` where there is none.

macro_rules! library {
    ($($name:ident = $std:ident or $libm:ident;)*) => {$(
        #[inline(always)]
        pub fn $name(x: f64) -> f64 {
            #[cfg(feature = "std")]
            return x.$std();
            #[cfg(not(feature = "std"))]
            libm::$libm(x)
        }
    )*};
}

library! {
    exp_m1 = exp_m1 or expm1;
    log = ln or log;
    log1p = ln_1p or log1p;
    sin = sin or sin;
    cos = cos or cos;
    tan = tan or tan;
    asin = asin or asin;
    acos = acos or acos;
    atan = atan or atan;
    sinh = sinh or sinh;
    cosh = cosh or cosh;
    tanh = tanh or tanh;
}

#[cfg(not(feature = "std"))]
pub use libm::{ceil, floor, rint as round, sqrt, trunc};

#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.powf(y);
    #[cfg(not(feature = "std"))]
    libm::pow(x, y)
}

#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.hypot(y);
    #[cfg(not(feature = "std"))]
    libm::hypot(x, y)
}

#[inline(always)]
pub fn atan2(x: f64, y: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.atan2(y);
    #[cfg(not(feature = "std"))]
    libm::atan2(x, y)
}

/// `e^x`, within 2 ulp; gradual underflow.
///
/// With `x = n ln 2 + r`, `|r| <= ln 2 / 2`: a polynomial in `r`, times `2^n` in two steps that cannot
/// overflow.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let clamped = x.clamp(-746.0, 710.0);
    let shifted = clamped * core::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    // ln 2 in two parts, of which the first has so few bits that its product with n is exact.
    let r = clamped - n * 6.931_471_803_691_238e-1 - n * 1.908_214_929_270_587_7e-10;
    let mut p = 1.0 / 6_227_020_800.0;
    for factorial in
        [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0]
    {
        p = p * r + 1.0 / factorial;
    }
    p = (p * r + 0.5) * (r * r) + r + 1.0;
    let n = shifted.to_bits() as i32;
    let half = n >> 1;
    p * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

#[inline(always)]
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(u64::from(n.wrapping_add(1023) as u32) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    #[test]
    fn exp_is_within_2_ulp() {
        for k in (-700_000..=709_000).step_by(shrink(1, 5003)) {
            let x = f64::from(k) * 1.000_37e-3;
            let (found, exact) = (exp(x), x.exp());
            assert!((found - exact).abs() <= 2.0 * f64::EPSILON * exact, "{x}: {found:e} {exact:e}");
        }
        let inf = f64::INFINITY;
        assert_eq!([exp(inf), exp(-inf), exp(0.0), exp(-0.0), exp(800.0)], [inf, 0.0, 1.0, 1.0, inf]);
        assert!(exp(f64::NAN).is_nan() && exp(-740.0) > 0.0);
    }
}
