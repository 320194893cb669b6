use super::{copy_sign, infinity, is_nan, log, log1p, magnitude, nan, normal_exp, scaled_exp};
use cubecl::prelude::*;

#[cube]
pub fn tanh(x: f32) -> f32 {
    let z = x * x;
    let near = -5.704_988_7e-3f32 * z + 2.063_909e-2f32;
    let near = near * z - 5.373_971_6e-2f32;
    let near = near * z + 0.133_314_42f32;
    let near = near * z - 0.333_332_8f32;
    let near = near * z * x + x;
    // From 20 on, the result is 1.
    let t = magnitude(x);
    let t = select(t > 20.0f32, 20.0f32, t);
    let far = copy_sign(1.0f32 - 2.0f32 / (normal_exp(2.0f32 * t) + 1.0f32), x);
    let result = select(magnitude(x) < 0.625f32, near, far);
    select(is_nan(x), x, result)
}

/// The driver's.
#[cube(fast_math = FastMath::ReducedPrecision | FastMath::NotNaN | FastMath::NotInf)]
fn native_exp(x: f32) -> f32 {
    x.exp()
}

/// Gauss error function.
#[cube]
pub fn error_function(x: f32) -> f32 {
    let t = magnitude(x);
    let t = select(t > 4.0f32, 4.0f32, t);
    let s = x * x;
    let far = -1.728_534_7e-5f32 * t + 3.831_971_3e-4f32;
    let far = far * t - 3.883_964_4e-3f32;
    let far = far * t + 2.425_462_2e-2f32;
    let far = far * t - 0.106_777_88f32;
    let far = far * t - 0.634_846_7f32;
    let far = far * t - 0.128_717_51f32;
    // At most 0.19 of 1: what drivers promise of `exp` is enough for it.
    let far = copy_sign(1.0f32 - native_exp(far * t - t), x);
    let near = -5.967_617e-4f32 * s + 4.991_194_2e-3f32;
    let near = near * s - 2.676_813_5e-2f32;
    let near = near * s + 0.112_819_93f32;
    let near = near * s - 0.376_125_34f32;
    let near = near * s + 0.128_379_17f32;
    let near = near * x + x;
    let result = select(magnitude(x) > 0.927_734_4f32, far, near);
    select(is_nan(x), x, result)
}

/// Gauss error function to 17 binary digits: enough for a half.
#[cube]
pub fn short_error_function(x: f32) -> f32 {
    let s = x * x;
    let p = 7.530_378e-8f32 * s - 3.070_980_3e-6f32;
    let p = p * s + 5.614_739_2e-5f32;
    let p = p * s - 6.180_811e-4f32;
    let p = p * s + 4.667_027e-3f32;
    let p = p * s - 2.608_764_7e-2f32;
    let p = p * s + 0.112_268_31f32;
    let p = p * s - 0.375_958_9f32;
    let p = p * s + 1.128_370_6f32;
    // From 2.75 on it grows beyond 1.
    let result = p * x;
    select(magnitude(result) > 1.0f32, copy_sign(1.0f32, x), result)
}

#[cube]
pub fn gelu(x: f32) -> f32 {
    x * 0.5f32 * (1.0f32 + error_function(x * 0.707_106_8f32))
}

#[cube]
pub fn sinh(x: f32) -> f32 {
    let z = x * x;
    let near = 2.505_210_8e-8f32 * z + 2.755_731_9e-6f32;
    let near = near * z + 1.984_127e-4f32;
    let near = near * z + 8.333_334e-3f32;
    let near = near * z + 0.166_666_67f32;
    let near = near * z * x + x;
    let half = scaled_exp(magnitude(x), 1i32);
    let far = copy_sign(half - 0.25f32 / half, x);
    let result = select(magnitude(x) < 1.0f32, near, far);
    select(is_nan(x), x, result)
}

#[cube]
pub fn cosh(x: f32) -> f32 {
    let half = scaled_exp(magnitude(x), 1i32);
    half + 0.25f32 / half
}

/// Inverse hyperbolic sine, finite wherever `x` is.
#[cube]
pub fn asinh(x: f32) -> f32 {
    let a = magnitude(x);
    let near = log1p(a + a * a / (1.0f32 + (a * a + 1.0f32).sqrt()));
    let far = log(a) + 0.693_147_2f32;
    let result = select(a > 1e9f32, far, near);
    select(is_nan(x), x, copy_sign(result, x))
}

/// Inverse hyperbolic cosine; NaN below 1.
#[cube]
pub fn acosh(x: f32) -> f32 {
    let t = x - 1.0f32;
    let near = log1p(t + (2.0f32 * t + t * t).sqrt());
    let far = log(x) + 0.693_147_2f32;
    let result = select(x > 1e9f32, far, near);
    select(x < 1.0f32 || is_nan(x), nan(), result)
}

/// Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.
#[cube]
pub fn atanh(x: f32) -> f32 {
    let a = magnitude(x);
    let result = 0.5f32 * log1p(2.0f32 * a / (1.0f32 - a));
    let result = select(a == 1.0f32, infinity(), result);
    let result = select(a < 1e-4f32, a + a * a * a * 0.333_333_34f32, result);
    select(a > 1.0f32 || is_nan(x), nan(), copy_sign(result, x))
}
