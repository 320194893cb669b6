//! Elementary functions of `f32`, as polynomials. Errors are in units in the last place, measured against
//! `f64` by the tests below.

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

#[inline(always)]
fn poly_f64<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[0];
    for c in &coefficients[1..] {
        sum = sum * x + c;
    }
    sum
}

/// `e^x`, within 2 ulp; gradual underflow below -87.3.
#[inline(always)]
pub fn exp<const FMA: bool>(x: f32) -> f32 {
    scaled_exp::<FMA>(x, 0)
}

/// `e^x 2^-shift` for small shifts, which overflows where the result does.
#[inline(always)]
fn scaled_exp<const FMA: bool>(x: f32, shift: i32) -> f32 {
    let (p, n) = reduced_exp::<FMA>(x.clamp(-104.0, 90.0));
    let n = n.wrapping_sub(shift);
    let half = n >> 1;
    // In two steps that cannot overflow.
    p * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `e^x` for `x` between -87 and 88.
#[inline(always)]
fn normal_exp<const FMA: bool>(x: f32) -> f32 {
    let (p, n) = reduced_exp::<FMA>(x);
    p * power_of_two(n)
}

/// `p` and `n` with `e^x = p 2^n`. With `x = n ln 2 + r`, `|r| <= ln 2 / 2`: a polynomial in `r`.
#[inline(always)]
fn reduced_exp<const FMA: bool>(x: f32) -> (f32, i32) {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let shifted = fma::<FMA>(x, core::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fma::<FMA>(n, -0.693_359_4, x);
    let r = fma::<FMA>(n, 2.121_944_4e-4, r);
    let p =
        poly::<FMA, 6>(r, [1.987_569_2e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5]);
    let p = fma::<FMA>(p, r * r, r) + 1.0;
    (p, shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32)
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
    // First-order correction of the rounding error of `1 + x`.
    let sum = 1.0 + x;
    let lost = if sum > 2.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) };
    let result = log::<FMA>(sum) + lost / sum;
    let result =
        if x.abs() < 1e-4 { fma::<FMA>(x * x, fma::<FMA>(x, 0.333_333_34, -0.5), x) } else { result };
    if x == f32::INFINITY || x == -1.0 { log::<FMA>(sum) } else { result }
}

/// Computes the hyperbolic tangent, within 3 ulp.
#[inline(always)]
pub fn tanh<const FMA: bool>(x: f32) -> f32 {
    let z = x * x;
    let near =
        poly::<FMA, 5>(z, [-5.704_988_7e-3, 2.063_909e-2, -5.373_971_6e-2, 0.133_314_42, -0.333_332_8]);
    let near = fma::<FMA>(near * z, x, x);
    // From 20 on, the result is 1.
    let t = x.abs();
    let t = if t > 20.0 { 20.0 } else { t };
    let far = (1.0 - 2.0 / (normal_exp::<FMA>(2.0 * t) + 1.0)).copysign(x);
    if x.abs() < 0.625 { near } else { far }
}

/// `1 / (1 + e^-x)`, within 4 ulp, as `(1 / 2) / (1 / 2 + e^-x / 2)`: half of the exponential is a polynomial
/// times one power of two wherever the result is not 0 or 1.
#[inline(always)]
pub fn sigmoid<const FMA: bool>(x: f32) -> f32 {
    // The power of two is 0 at the lower end and infinite at the upper one.
    let (p, n) = reduced_exp::<FMA>((-x).clamp(-87.0, 89.4));
    0.5 / (0.5 + p * power_of_two(n.wrapping_sub(1)))
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
    // The exponent is between -18 and 0.
    let far = (1.0 - normal_exp::<FMA>(fma::<FMA>(far, t, -t))).copysign(x);
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
    let (sin, cos) = sin_and_cos(r);
    let value = if n & 1 == 0 { sin } else { cos };
    (if n & 2 == 0 { value } else { -value }) as f32
}

/// Sine and cosine of `r`, `|r| <= pi / 4`.
#[inline(always)]
fn sin_and_cos(r: f64) -> (f64, f64) {
    let z = r * r;
    let sin = r + r
        * z
        * (-0.166_666_666_416_265_24
            + z * (8.333_329_385_889_463e-3 + z * (-1.983_932_989_3e-4 + z * 2.718_311_493_989_822e-6)));
    let cos = 1.0
        + z * (-0.499_999_997_251_031
            + z * (4.166_662_332_373_906e-2
                + z * (-1.388_676_377_460_993e-3 + z * 2.439_044_879_627_741e-5)));
    (sin, cos)
}

/// Tangent within 1 ulp for `|x| <= REDUCIBLE`.
#[inline(always)]
pub fn tan<const FMA: bool>(x: f32) -> f32 {
    let (r, n) = reduce::<FMA>(x);
    let (sin, cos) = sin_and_cos(r);
    (if n & 1 == 0 { sin / cos } else { -cos / sin }) as f32
}

/// Hyperbolic sine, within 4 ulp.
#[inline(always)]
pub fn sinh<const FMA: bool>(x: f32) -> f32 {
    let z = x * x;
    let near = poly::<FMA, 5>(z, [2.505_210_8e-8, 2.755_731_9e-6, 1.984_127e-4, 8.333_334e-3, 0.166_666_67]);
    let near = fma::<FMA>(near * z, x, x);
    let half = scaled_exp::<FMA>(x.abs(), 1);
    let far = (half - 0.25 / half).copysign(x);
    if x.abs() < 1.0 { near } else { far }
}

/// Hyperbolic cosine, within 4 ulp.
#[inline(always)]
pub fn cosh<const FMA: bool>(x: f32) -> f32 {
    let half = scaled_exp::<FMA>(x.abs(), 1);
    half + 0.25 / half
}

const HALF_PI: f32 = core::f32::consts::FRAC_PI_2;
/// Low part of `pi / 2`: the rounding error of [`HALF_PI`].
const HALF_PI_LOW: f32 = -4.371_139e-8;

/// Arc tangent of `x` in `[0, 1]`.
#[inline(always)]
fn atan_of_ratio<const FMA: bool>(x: f32) -> f32 {
    let upper = x > 0.414_213_57;
    let t = if upper { (x - 1.0) / (x + 1.0) } else { x };
    let z = t * t;
    let p = poly::<FMA, 4>(z, [8.053_744_5e-2, -0.138_776_86, 0.199_777_1, -0.333_329_5]);
    let low = if upper { HALF_PI_LOW / 2.0 } else { 0.0 };
    let high = if upper { HALF_PI / 2.0 } else { 0.0 };
    high + (fma::<FMA>(p * z, t, t) + low)
}

/// Arc tangent, within 4 ulp.
#[inline(always)]
pub fn atan<const FMA: bool>(x: f32) -> f32 {
    let a = x.abs();
    let steep = a > 1.0;
    let t = atan_of_ratio::<FMA>(if steep { 1.0 / a } else { a });
    (if steep { HALF_PI - (t - HALF_PI_LOW) } else { t }).copysign(x)
}

/// Angle of the point `(x, y)`, within 4 ulp.
#[inline(always)]
pub fn atan2<const FMA: bool>(y: f32, x: f32) -> f32 {
    let (a, b) = (y.abs(), x.abs());
    let (small, large) = if a > b { (b, a) } else { (a, b) };
    // Both infinite, or both zero.
    let ratio = if small == large { if large == 0.0 { 0.0 } else { 1.0 } } else { small / large };
    let t = atan_of_ratio::<FMA>(ratio);
    let t = if a > b { HALF_PI - (t - HALF_PI_LOW) } else { t };
    let t = if x.is_sign_negative() { 2.0 * HALF_PI - (t - 2.0 * HALF_PI_LOW) } else { t };
    if x.is_nan() || y.is_nan() { f32::NAN } else { t.copysign(y) }
}

/// Arc sine of `x` in `[0, 1/2]`, with its square.
#[inline(always)]
fn asin_of_half<const FMA: bool>(x: f32, z: f32) -> f32 {
    let p = poly::<FMA, 5>(z, [4.216_32e-2, 2.418_131e-2, 4.547_002_6e-2, 7.495_300_3e-2, 0.166_667_52]);
    fma::<FMA>(p * z, x, x)
}

/// Arc sine, within 4 ulp.
#[inline(always)]
pub fn asin<const FMA: bool>(x: f32) -> f32 {
    let a = x.abs();
    let outer = a > 0.5;
    let z = if outer { 0.5 * (1.0 - a) } else { a * a };
    let t = asin_of_half::<FMA>(if outer { z.sqrt() } else { a }, z);
    (if outer { HALF_PI - (2.0 * t - HALF_PI_LOW) } else { t }).copysign(x)
}

/// Arc cosine, within 4 ulp.
#[inline(always)]
pub fn acos<const FMA: bool>(x: f32) -> f32 {
    let a = x.abs();
    let outer = a > 0.5;
    let z = if outer { 0.5 * (1.0 - a) } else { a * a };
    let t = asin_of_half::<FMA>(if outer { z.sqrt() } else { x }, z);
    let far = if x < 0.0 { 2.0 * HALF_PI - (2.0 * t - 2.0 * HALF_PI_LOW) } else { 2.0 * t };
    if outer { far } else { HALF_PI - (t - HALF_PI_LOW) }
}

/// Returns whether [`pow`] supports a base.
#[inline(always)]
pub fn is_plain_base(x: f32) -> bool {
    x > 0.0 && x < f32::INFINITY
}

/// `x^y` for positive finite `x` and finite `y`, within 1 ulp: `2^(y log2(x))` in `f64`.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    // x = 2^k m with m in [sqrt(1/2), sqrt(2)); log(m) = 2 artanh((m - 1) / (m + 1)).
    let bits = f64::from(x).to_bits().wrapping_sub(0x3fe6_a09e_667f_3bcd);
    let k = ((bits as i64) >> 52) as i32;
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(0x3fe6_a09e_667f_3bcd));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = poly_f64(z, [1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0]);
    let log2 = f64::from(k) + 2.0 * core::f64::consts::LOG2_E * s * series;
    // Far beyond both ends of f32.
    let exponent = (f64::from(y) * log2).clamp(-300.0, 300.0);
    let shifted = exponent + ROUND;
    let r = (exponent - (shifted - ROUND)) * core::f64::consts::LN_2;
    let factorials =
        [1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let p = poly_f64(r, factorials);
    let n = (shifted.to_bits() as i32).wrapping_add(1023) as u32;
    (p * f64::from_bits(u64::from(n) << 52)) as f32
}

/// Returns whether [`fmod`] supports the operands.
#[inline(always)]
pub fn is_short_division(x: f32, y: f32) -> bool {
    (f64::from(x) / f64::from(y)).abs() < f64::from(1 << 28) && y.abs() < f32::INFINITY
}

/// Computes the exact remainder of division rounded toward zero, for quotients so small that their products
/// are exact in `f64`.
#[inline(always)]
pub fn fmod(x: f32, y: f32) -> f32 {
    let (wide, divisor) = (f64::from(x).abs(), f64::from(y).abs());
    let quotient = ((wide / divisor) as i32) as f64;
    let rest = wide - quotient * divisor;
    // The quotient may have been rounded up to a whole number.
    let rest = if rest < 0.0 { rest + divisor } else { rest };
    (rest as f32).copysign(x)
}

/// Returns whether [`sin_cos`] supports `x`.
#[inline(always)]
pub fn is_reducible(x: f32) -> bool {
    x.abs() <= REDUCIBLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    /// Largest distance between `f` and `exact`, in ulps of the exact value.
    fn worst(range: (f32, f32), f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) -> f64 {
        let steps = shrink(200_000, 100);
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
        tan_is_within_2_ulp: tan::<true>, tan::<false>, f64::tan, 2.0, [(-10.0, 10.0), (1e5, 1e6), (9e7, 1e8)];
        sinh_is_within_4_ulp: sinh::<true>, sinh::<false>, f64::sinh, 4.0, [(-89.0, 89.0), (-2.0, 2.0)];
        cosh_is_within_4_ulp: cosh::<true>, cosh::<false>, f64::cosh, 4.0, [(-89.0, 89.0), (-2.0, 2.0)];
        atan_is_within_4_ulp: atan::<true>, atan::<false>, f64::atan, 4.0, [(-1e6, 1e6), (-4.0, 4.0), (-0.1, 0.1)];
        asin_is_within_4_ulp: asin::<true>, asin::<false>, f64::asin, 4.0, [(-1.0, 1.0), (-0.1, 0.1)];
        acos_is_within_4_ulp: acos::<true>, acos::<false>, f64::acos, 4.0, [(-1.0, 0.99)];
        atan2_is_within_4_ulp: |x| atan2::<true>(x, -2.0), |x| atan2::<false>(x, -2.0), |x| x.atan2(-2.0), 4.0, [(-9.0, 9.0), (-1e5, 1e5)];
        cos_is_within_1_ulp: |x| sin_cos::<true>(x, 1), |x| sin_cos::<false>(x, 1), f64::cos, 1.0, [(-10.0, 10.0), (1e5, 1e6), (9e7, 1e8)];
    }

    #[test]
    fn pow_is_within_1_ulp() {
        for (exponent, top) in
            [(2.7_f32, 1e14_f32), (-0.3, 1e38), (12.0, 1000.0), (-7.5, 1e4), (1.0, 3e38), (0.0, 9.0)]
        {
            let exact = |x: f64| x.powf(f64::from(exponent));
            for range in [(1e-4, 2.0), (1e-3, top)] {
                let found = worst(range, |x| pow(x, exponent), exact);
                assert!(found <= 1.0, "x^{exponent} on {range:?}: {found} ulp");
            }
        }
        assert_eq!([pow(10.0, 50.0), pow(10.0, -50.0), pow(1e-45, 1.0)], [f32::INFINITY, 0.0, 1e-45]);
    }

    #[test]
    fn rests_are_exact() {
        for y in [0.7_f32, -3.0, 1e-3, 1e30, 1e-40, 0.1] {
            for k in (-3000..3000).step_by(shrink(1, 101)) {
                for x in [k as f32 * y, k as f32 * 0.37 * y, k as f32 * 8191.3 * y] {
                    assert!(is_short_division(x, y));
                    assert_eq!(fmod(x, y).to_bits(), (x % y).to_bits(), "{x:e} {y:e}");
                }
            }
        }
        assert!(!is_short_division(1.0, 0.0) && !is_short_division(f32::NAN, 1.0));
        assert!(!is_short_division(f32::INFINITY, 2.0) && !is_short_division(2.0, f32::INFINITY));
    }

    #[test]
    fn angles_in_all_quadrants() {
        let (inf, zero) = (f32::INFINITY, 0.0_f32);
        for y in [1.0, -1.0, zero, -zero, inf, -inf, 1e-40, -2e38, 3.0] {
            for x in [1.0, -1.0, zero, -zero, inf, -inf, 1e-40, -2e38, 0.1] {
                let (found, exact) = (atan2::<true>(y, x), f64::from(y).atan2(f64::from(x)) as f32);
                assert!(
                    (found - exact).abs() <= 4.0 * f32::EPSILON * exact.abs(),
                    "{y} {x}: {found} {exact}"
                );
                assert_eq!(found.is_sign_negative(), exact.is_sign_negative(), "{y} {x}");
            }
        }
        assert!(atan2::<true>(f32::NAN, 1.0).is_nan() && atan2::<true>(1.0, f32::NAN).is_nan());
        assert_eq!([sinh::<true>(inf), sinh::<true>(-inf), cosh::<true>(-inf)], [inf, -inf, inf]);
        let (found, exact) = (f64::from(sinh::<true>(89.2)), f64::from(89.2_f32).sinh());
        assert!((found / exact - 1.0).abs() < 1e-6, "finite where e^x is not");
        assert!(asin::<true>(1.1).is_nan() && acos::<true>(-1.1).is_nan());
        assert_eq!([acos::<true>(1.0), atan::<true>(inf), asin::<true>(-1.0)], [0.0, HALF_PI, -HALF_PI]);
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
        // `e^x / (1 + e^x)` is `e^x` there; `e^-x` is infinite from 88.73 on.
        for x in [-87.0_f32, -88.5, -89.0] {
            let exact = f64::from(x).exp();
            let error = (f64::from(sigmoid::<true>(x)) - exact).abs();
            assert!(error <= 4e-7 * exact + f64::from(f32::from_bits(2)), "{x}: {error}");
        }
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
            sinh::<true>,
            cosh::<true>,
            atan::<true>,
            asin::<true>,
            acos::<true>,
        ] {
            assert!(f(nan).is_nan());
        }
    }
}
