//! Elementary functions of `f32`, as polynomials. Errors are in units in the last place, measured against `f64`
//! by the tests below.

#[cfg(not(feature = "std"))]
use num_traits::Float as _;

/// `a * b + c`, rounded once where the machine can.
#[inline(always)]
fn fma<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The polynomial with these coefficients, highest power first.
#[inline(always)]
fn poly<const FMA: bool, const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[0];
    for c in &coefficients[1..] {
        sum = fma::<FMA>(sum, x, *c);
    }
    sum
}

/// `e^x`, within 2 ulp; gradual underflow below -87.3.
///
/// With `x = n ln 2 + r`, `|r| <= ln 2 / 2`: a polynomial in `r`, times `2^n` in two steps that cannot overflow.
#[inline(always)]
pub fn exp<const FMA: bool>(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let clamped = x.clamp(-104.0, 89.0);
    let shifted = fma::<FMA>(clamped, core::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fma::<FMA>(n, -0.693_359_4, clamped);
    let r = fma::<FMA>(n, 2.121_944_4e-4, r);
    let p =
        poly::<FMA, 6>(r, [1.987_569_2e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5]);
    let p = fma::<FMA>(p, r * r, r) + 1.0;
    let n = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let half = n >> 1;
    p * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `e^x - 1`, within 3 ulp, also near 0.
#[inline(always)]
pub fn exp_m1<const FMA: bool>(x: f32) -> f32 {
    let near = poly::<FMA, 7>(
        x,
        [2.480_158_7e-5, 1.984_127e-4, 1.388_888_9e-3, 8.333_334e-3, 4.166_666_8e-2, 0.166_666_67, 0.5],
    );
    let near = fma::<FMA>(near, x * x, x);
    let far = exp::<FMA>(x) - 1.0;
    if x.abs() < 0.5 { near } else { far }
}

/// Natural logarithm, within 2 ulp; denormals included.
#[inline(always)]
pub fn log<const FMA: bool>(x: f32) -> f32 {
    let (scaled, shift) = if x < f32::MIN_POSITIVE { (x * 33_554_432.0, -25) } else { (x, 0) };
    // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
    let bits = scaled.to_bits().wrapping_add(0x3f80_0000 - 0x3f35_04f3);
    let k = ((bits >> 23) as i32).wrapping_sub(127).wrapping_add(shift) as f32;
    let m = f32::from_bits((bits & 0x007f_ffff).wrapping_add(0x3f35_04f3));
    let result = log_of_sum::<FMA>(m - 1.0, 0.0, k);
    let result = if x == f32::INFINITY { x } else { result };
    let result = if x == 0.0 { f32::NEG_INFINITY } else { result };
    if x < 0.0 || x.is_nan() { f32::NAN } else { result }
}

/// `log(1 + f) + correction + k ln 2` for small `f`.
#[inline(always)]
fn log_of_sum<const FMA: bool>(f: f32, correction: f32, k: f32) -> f32 {
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * poly::<FMA, 4>(z, [0.242_790_79, 0.284_987_87, 0.400_009_72, 0.666_666_6]);
    let half = 0.5 * f * f;
    let low = fma::<FMA>(k, 9.058e-6, correction);
    fma::<FMA>(k, 0.693_138_1, f - (half - fma::<FMA>(s, half + r, low)))
}

/// `log(1 + x)`, within 3 ulp, also near 0.
#[inline(always)]
pub fn log1p<const FMA: bool>(x: f32) -> f32 {
    // What 1 + x loses by rounding comes back as a correction of the first order.
    let sum = 1.0 + x;
    let lost = if sum > 2.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) };
    let result = log::<FMA>(sum) + lost / sum;
    let result =
        if x.abs() < 1e-4 { fma::<FMA>(x * x, fma::<FMA>(x, 0.333_333_34, -0.5), x) } else { result };
    if x == f32::INFINITY || x == -1.0 { log::<FMA>(sum) } else { result }
}

/// Within 3 ulp.
#[inline(always)]
pub fn tanh<const FMA: bool>(x: f32) -> f32 {
    let z = x * x;
    let near =
        poly::<FMA, 5>(z, [-5.704_988_7e-3, 2.063_909e-2, -5.373_971_6e-2, 0.133_314_42, -0.333_332_8]);
    let near = fma::<FMA>(near * z, x, x);
    let far = (1.0 - 2.0 / (exp::<FMA>(2.0 * x.abs()) + 1.0)).copysign(x);
    if x.abs() < 0.625 { near } else { far }
}

/// `1 / (1 + e^-x)`, within 4 ulp.
#[inline(always)]
pub fn sigmoid<const FMA: bool>(x: f32) -> f32 {
    1.0 / (1.0 + exp::<FMA>(-x))
}

/// `min(x, 0) - log1p(e^-|x|)`.
#[inline(always)]
pub fn log_sigmoid<const FMA: bool>(x: f32) -> f32 {
    let negative = if x > 0.0 { 0.0 } else { x };
    negative - log1p::<FMA>(exp::<FMA>(-x.abs()))
}

/// Gauss error function, within 3 ulp.
#[inline(always)]
pub fn erf<const FMA: bool>(x: f32) -> f32 {
    let t = x.abs();
    let t = if t > 4.0 { 4.0 } else { t };
    let s = x * x;
    let far = poly::<FMA, 6>(
        t,
        [-1.728_534_7e-5, 3.831_971_3e-4, -3.883_964_4e-3, 2.425_462_2e-2, -0.106_777_88, -0.634_846_7],
    );
    let far = fma::<FMA>(far, t, -0.128_717_51);
    let far = (1.0 - exp::<FMA>(fma::<FMA>(far, t, -t))).copysign(x);
    let near = poly::<FMA, 6>(
        s,
        [-5.967_617e-4, 4.991_194_2e-3, -2.676_813_5e-2, 0.112_819_93, -0.376_125_34, 0.128_379_17],
    );
    let near = fma::<FMA>(near, x, x);
    if x.abs() > 0.927_734_4 { far } else { near }
}

/// Largest magnitude whose sine and cosine the formulas below know; beyond it, and for infinities, see
/// [`sin_cos_large`].
const REDUCIBLE: f32 = 1e8;

/// `x - n pi/2` in `f64`, and `n`, for `|x| <= REDUCIBLE`.
#[inline(always)]
fn reduce<const FMA: bool>(x: f32) -> (f64, i32) {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let x = f64::from(x);
    let shifted = x * core::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    // pi/2 in two parts, of which the first has so few bits that its product with n is exact.
    let r = x - n * 1.570_796_310_901_641_8 - n * 1.589_325_477_352_819_7e-8;
    (r, shifted.to_bits() as i32)
}

/// Sine (`quadrant` 0) or cosine (`quadrant` 1) within 1 ulp for `|x| <= REDUCIBLE`.
#[inline(always)]
pub fn sin_cos<const FMA: bool>(x: f32, quadrant: i32) -> f32 {
    let (r, n) = reduce::<FMA>(x);
    let n = n.wrapping_add(quadrant);
    let z = r * r;
    let sin = r + r
        * z
        * (-0.166_666_666_416_265_24
            + z * (8.333_329_385_889_463e-3 + z * (-1.983_932_989_3e-4 + z * 2.718_311_493_989_822e-6)));
    let cos = 1.0
        + z * (-0.499_999_997_251_031
            + z * (4.166_662_332_373_906e-2
                + z * (-1.388_676_377_460_993e-3 + z * 2.439_044_879_627_741e-5)));
    let value = if n & 1 == 0 { sin } else { cos };
    (if n & 2 == 0 { value } else { -value }) as f32
}

/// Whether [`sin_cos`] knows `x`.
#[inline(always)]
pub fn is_reducible(x: f32) -> bool {
    x.abs() <= REDUCIBLE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest distance between `f` and `exact`, in ulps of the exact value.
    fn worst(range: (f32, f32), f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) -> f64 {
        let steps = 200_000;
        let mut worst: f64 = 0.0;
        for k in 0..=steps {
            let x = range.0 + (range.1 - range.0) * (k as f32 / steps as f32);
            let (found, expected) = (f64::from(f(x)), exact(f64::from(x)));
            let magnitude = expected.abs().max(f64::from(f32::MIN_POSITIVE));
            let ulp = (magnitude.log2().floor() - 23.0).exp2();
            worst = worst.max((found - expected).abs() / ulp);
        }
        worst
    }

    macro_rules! within {
        ($($test:ident: $f:expr, $g:expr, $exact:expr, $bound:expr, [$($range:expr),*];)*) => {$(
            #[test]
            fn $test() {
                for range in [$($range),*] {
                    for (name, found) in [("fused", worst(range, $f, $exact)), ("separate", worst(range, $g, $exact))] {
                        assert!(found <= $bound, "{name} on {range:?}: {found} ulp");
                    }
                }
            }
        )*};
    }

    within! {
        exp_is_within_2_ulp: exp::<true>, exp::<false>, f64::exp, 2.0, [(-87.0, 88.7), (-1.0, 1.0)];
        exp_m1_is_within_3_ulp: exp_m1::<true>, exp_m1::<false>, f64::exp_m1, 3.0, [(-20.0, 80.0), (-1.0, 1.0)];
        log_is_within_2_ulp: log::<true>, log::<false>, f64::ln, 2.0, [(1e-40, 1e-37), (1e-3, 4.0), (0.9, 1.1), (1.0, 3e38)];
        log1p_is_within_3_ulp: log1p::<true>, log1p::<false>, f64::ln_1p, 3.0, [(-0.999, 4.0), (-1e-3, 1e-3), (1.0, 1e30)];
        tanh_is_within_3_ulp: tanh::<true>, tanh::<false>, f64::tanh, 3.0, [(-10.0, 10.0), (-0.7, 0.7)];
        erf_is_within_3_ulp: erf::<true>, erf::<false>, libm::erf, 3.0, [(-5.0, 5.0), (-1.0, 1.0)];
        sigmoid_is_within_4_ulp: sigmoid::<true>, sigmoid::<false>, |x| 1.0 / (1.0 + (-x).exp()), 4.0, [(-80.0, 80.0), (-2.0, 2.0)];
        sin_is_within_1_ulp: |x| sin_cos::<true>(x, 0), |x| sin_cos::<false>(x, 0), f64::sin, 1.0, [(-10.0, 10.0), (1e5, 1e6), (9e7, 1e8)];
        cos_is_within_1_ulp: |x| sin_cos::<true>(x, 1), |x| sin_cos::<false>(x, 1), f64::cos, 1.0, [(-10.0, 10.0), (1e5, 1e6), (9e7, 1e8)];
    }

    #[test]
    fn special_values() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        assert_eq!(
            [exp::<true>(inf), exp::<true>(-inf), exp::<true>(0.0), exp::<true>(100.0)],
            [inf, 0.0, 1.0, inf]
        );
        assert!((exp::<true>(-100.0) - (-100.0_f32).exp()).abs() <= f32::from_bits(2), "gradual underflow");
        assert_eq!([log::<true>(0.0), log::<true>(1.0), log::<true>(inf)], [-inf, 0.0, inf]);
        assert_eq!([log1p::<true>(-1.0), log1p::<true>(0.0), log1p::<true>(inf)], [-inf, 0.0, inf]);
        assert_eq!(
            [tanh::<true>(inf), tanh::<true>(-inf), erf::<true>(inf), erf::<true>(-inf)],
            [1.0, -1.0, 1.0, -1.0]
        );
        assert_eq!([sigmoid::<true>(inf), sigmoid::<true>(-inf)], [1.0, 0.0]);
        assert_eq!([exp_m1::<true>(inf), exp_m1::<true>(-inf)], [inf, -1.0]);
        assert!(log::<true>(-1.0).is_nan() && log1p::<true>(-2.0).is_nan());
        for f in [
            exp::<true>,
            exp_m1::<true>,
            log::<true>,
            log1p::<true>,
            tanh::<true>,
            erf::<true>,
            sigmoid::<true>,
            log_sigmoid::<true>,
        ] {
            assert!(f(nan).is_nan());
        }
    }
}
