use super::{is_nan, logarithm::log1p, magnitude, power_of_two};
use cubecl::prelude::*;

/// `e^r` for `|r| <= ln 2 / 2`.
#[cube]
pub(super) fn near_exp(r: f64) -> f64 {
    let p = r * 1.605_904_383_682_161_3e-10f64 + 2.087_675_698_786_81e-9f64;
    let p = p * r + 2.505_210_838_544_172e-8f64;
    let p = p * r + 2.755_731_922_398_589e-7f64;
    let p = p * r + 2.755_731_922_398_589_3e-6f64;
    let p = p * r + 2.480_158_730_158_73e-5f64;
    let p = p * r + 0.000_198_412_698_412_698_4f64;
    let p = p * r + 0.001_388_888_888_888_889f64;
    let p = p * r + 0.008_333_333_333_333_333f64;
    let p = p * r + 0.041_666_666_666_666_664f64;
    let p = p * r + 0.166_666_666_666_666_66f64;
    let p = p * r + 0.5f64;
    p * (r * r) + r + 1.0f64
}

/// `e^x 2^-shift` for small shifts, which overflows where the result does.
#[cube]
pub(super) fn scaled_exp(x: f64, shift: i32) -> f64 {
    let clamped = select(x < -746.0f64, -746.0f64, x);
    let clamped = select(clamped > 720.0f64, 720.0f64, clamped);
    let whole = (clamped * 1.442_695_040_888_963_4f64 + 0.5f64).floor();
    // ln 2 in two parts, of which the first has so few bits that its product with `whole` is exact.
    let r = clamped - whole * 0.693_147_180_369_123_8f64;
    let r = r - whole * 1.908_214_929_270_587_7e-10f64;
    let result = scaled(near_exp(r), i32::cast_from(whole) - shift);
    select(is_nan(x), x, result)
}

/// `x 2^n`, in two steps that cannot overflow.
#[cube]
pub(super) fn scaled(x: f64, n: i32) -> f64 {
    let half = n >> 1i32;
    x * power_of_two(half) * power_of_two(n - half)
}

/// `e^x`.
#[cube]
pub fn exp(x: f64) -> f64 {
    scaled_exp(x, 0i32)
}

/// `e^x - 1`, also near 0.
#[cube]
pub fn exp_m1(x: f64) -> f64 {
    let p = x * 8.220_635_246_624_33e-18f64 + 1.561_920_696_858_622_5e-16f64;
    let p = p * x + 2.811_457_254_345_520_6e-15f64;
    let p = p * x + 4.779_477_332_387_385e-14f64;
    let p = p * x + 7.647_163_731_819_816e-13f64;
    let p = p * x + 1.147_074_559_772_972_5e-11f64;
    let p = p * x + 1.605_904_383_682_161_3e-10f64;
    let p = p * x + 2.087_675_698_786_81e-9f64;
    let p = p * x + 2.505_210_838_544_172e-8f64;
    let p = p * x + 2.755_731_922_398_589e-7f64;
    let p = p * x + 2.755_731_922_398_589_3e-6f64;
    let p = p * x + 2.480_158_730_158_73e-5f64;
    let p = p * x + 0.000_198_412_698_412_698_4f64;
    let p = p * x + 0.001_388_888_888_888_889f64;
    let p = p * x + 0.008_333_333_333_333_333f64;
    let p = p * x + 0.041_666_666_666_666_664f64;
    let p = p * x + 0.166_666_666_666_666_66f64;
    let p = p * x + 0.5f64;
    let near = p * (x * x) + x;
    let far = exp(x) - 1.0f64;
    select(magnitude(x) < 1.0f64, near, far)
}

/// `1 / (1 + e^-x)`.
#[cube]
pub fn sigmoid(x: f64) -> f64 {
    1.0f64 / (1.0f64 + exp(-x))
}

/// `min(x, 0) - log1p(e^-|x|)`.
#[cube]
pub fn log_sigmoid(x: f64) -> f64 {
    select(x > 0.0f64, 0.0f64, x) - log1p(exp(-magnitude(x)))
}

/// `x` times [`sigmoid`] of it.
#[cube]
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

/// `x` times [`sigmoid`] of `2 sqrt(2 / pi) (x + 0.044715 x^3)`.
#[cube]
pub fn gelu_tanh(x: f64) -> f64 {
    x * sigmoid(x * (x * x * 0.071_354_816_272_600_25f64 + 1.595_769_121_605_730_7f64))
}
