use super::exponential::{exp_m1, scaled_exp};
use super::{copy_sign, infinity, is_nan, log, log1p, magnitude, nan};
use cubecl::prelude::*;

#[cube]
pub fn sinh(x: f64) -> f64 {
    let z = x * x;
    let p = z * 8.220_635_246_624_33e-18f64 + 2.811_457_254_345_520_6e-15f64;
    let p = p * z + 7.647_163_731_819_816e-13f64;
    let p = p * z + 1.605_904_383_682_161_3e-10f64;
    let p = p * z + 2.505_210_838_544_172e-8f64;
    let p = p * z + 2.755_731_922_398_589_3e-6f64;
    let p = p * z + 0.000_198_412_698_412_698_4f64;
    let p = p * z + 0.008_333_333_333_333_333f64;
    let p = p * z + 0.166_666_666_666_666_66f64;
    let near = p * z * x + x;
    let half = scaled_exp(magnitude(x), 1i32);
    let far = copy_sign(half - 0.25f64 / half, x);
    let result = select(magnitude(x) < 1.0f64, near, far);
    select(is_nan(x), x, result)
}

#[cube]
pub fn cosh(x: f64) -> f64 {
    let half = scaled_exp(magnitude(x), 1i32);
    half + 0.25f64 / half
}

#[cube]
pub fn tanh(x: f64) -> f64 {
    // From 22 on, the result is 1.
    let a = magnitude(x);
    let a = select(a > 22.0f64, 22.0f64, a);
    let grown = exp_m1(2.0f64 * a);
    select(is_nan(x), x, copy_sign(grown / (grown + 2.0f64), x))
}

/// Inverse hyperbolic sine, finite wherever `x` is.
#[cube]
pub fn asinh(x: f64) -> f64 {
    let a = magnitude(x);
    let near = log1p(a + a * a / (1.0f64 + (a * a + 1.0f64).sqrt()));
    let far = log(a) + 0.693_147_180_559_945_3f64;
    let result = select(a > 1e9f64, far, near);
    select(is_nan(x), x, copy_sign(result, x))
}

/// Inverse hyperbolic cosine; NaN below 1.
#[cube]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0f64;
    let near = log1p(t + (2.0f64 * t + t * t).sqrt());
    let far = log(x) + 0.693_147_180_559_945_3f64;
    let result = select(x > 1e9f64, far, near);
    select(x < 1.0f64 || is_nan(x), nan(), result)
}

/// Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.
#[cube]
pub fn atanh(x: f64) -> f64 {
    let a = magnitude(x);
    let result = 0.5f64 * log1p(2.0f64 * a / (1.0f64 - a));
    let result = select(a == 1.0f64, infinity(), result);
    let result = select(a < 1e-4f64, a + a * a * a * 0.333_333_333_333_333_3f64, result);
    select(a > 1.0f64 || is_nan(x), nan(), copy_sign(result, x))
}
