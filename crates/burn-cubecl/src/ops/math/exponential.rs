use super::{infinity, is_nan, magnitude, nan, power_of_two};
use cubecl::prelude::*;

/// `n` of `e^x = p 2^n`. By an instruction: drivers take what adds a large number and subtracts it again for
/// nothing.
#[cube]
fn whole_exponent(x: f32) -> f32 {
    (x * 1.442_695f32 + 0.5f32).floor()
}

/// `p` of `e^x = p 2^n`. With `x = n ln 2 + r`, `|r| <= ln 2 / 2`: a polynomial in `r`.
#[cube]
fn reduced_exp(x: f32, n: f32) -> f32 {
    let r = n * -0.693_359_4f32 + x;
    let r = n * 2.121_944_4e-4f32 + r;
    let p = 1.987_569_2e-4f32 * r + 1.398_199_9e-3f32;
    let p = p * r + 8.333_452e-3f32;
    let p = p * r + 4.166_579_6e-2f32;
    let p = p * r + 0.166_666_66f32;
    let p = p * r + 0.5f32;
    p * (r * r) + r + 1.0f32
}

/// `e^x 2^-shift` for small shifts, which overflows where the result does.
#[cube]
pub fn scaled_exp(x: f32, shift: i32) -> f32 {
    let clamped = select(x < -104.0f32, -104.0f32, x);
    let clamped = select(clamped > 90.0f32, 90.0f32, clamped);
    let whole = whole_exponent(clamped);
    let p = reduced_exp(clamped, whole);
    let n = i32::cast_from(whole) - shift;
    let half = n >> 1i32;
    // In two steps that cannot overflow.
    let result = p * power_of_two(half) * power_of_two(n - half);
    select(is_nan(x), x, result)
}

/// `e^x`.
#[cube]
pub fn exp(x: f32) -> f32 {
    scaled_exp(x, 0i32)
}

/// `e^x`, by the instruction of a device that has a good one.
#[cube]
pub fn native_exp(x: f32) -> f32 {
    x.exp()
}

/// [`sigmoid`], by the instruction for `e^x`.
#[cube]
pub fn native_sigmoid(x: f32) -> f32 {
    1.0f32 / (1.0f32 + native_exp(-x))
}

/// [`silu`], by the instruction for `e^x`.
#[cube]
pub fn native_silu(x: f32) -> f32 {
    x * native_sigmoid(x)
}

/// [`gelu_tanh`], by the instruction for `e^x`.
#[cube]
pub fn native_gelu_tanh(x: f32) -> f32 {
    x * native_sigmoid(gelu_gate(x))
}

/// `e^x` for `x` between -87 and 88.
#[cube]
pub fn normal_exp(x: f32) -> f32 {
    let whole = whole_exponent(x);
    reduced_exp(x, whole) * power_of_two(i32::cast_from(whole))
}

/// `e^x - 1`, also near 0.
#[cube]
pub fn exp_m1(x: f32) -> f32 {
    let near = 2.480_158_7e-5f32 * x + 1.984_127e-4f32;
    let near = near * x + 1.388_888_9e-3f32;
    let near = near * x + 8.333_334e-3f32;
    let near = near * x + 4.166_666_8e-2f32;
    let near = near * x + 0.166_666_67f32;
    let near = near * x + 0.5f32;
    let near = near * (x * x) + x;
    let far = exp(x) - 1.0f32;
    select(magnitude(x) < 0.5f32, near, far)
}

/// Natural logarithm.
#[cube]
pub fn log(x: f32) -> f32 {
    let small = x < 1.175_494_4e-38f32;
    let scaled = select(small, x * 33_554_432.0f32, x);
    let shift = select(small, -25i32, 0i32);
    // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
    let bits = u32::reinterpret(scaled) + 0x004a_fb0du32;
    let k = f32::cast_from(i32::reinterpret(bits >> 23u32) - 127i32 + shift);
    let m = f32::reinterpret((bits & 0x007f_ffffu32) + 0x3f35_04f3u32);
    let result = log_of_sum(m - 1.0f32, k);
    let result = select(u32::reinterpret(x) == 0x7f80_0000u32, x, result);
    let result = select(x == 0.0f32, -infinity(), result);
    select(x < 0.0f32 || is_nan(x), nan(), result)
}

/// `log(1 + f) + k ln 2` for small `f`.
#[cube]
fn log_of_sum(f: f32, k: f32) -> f32 {
    let s = f / (2.0f32 + f);
    let z = s * s;
    let r = 0.242_790_79f32 * z + 0.284_987_87f32;
    let r = r * z + 0.400_009_72f32;
    let r = z * (r * z + 0.666_666_6f32);
    let half = 0.5f32 * f * f;
    let low = k * 9.058e-6f32;
    k * 0.693_138_1f32 + (f - (half - (s * (half + r) + low)))
}

/// `log(1 + x)`, also near 0.
#[cube]
pub fn log1p(x: f32) -> f32 {
    // Near 0 the series needs no sum; elsewhere the logarithm hides what the sum loses by rounding.
    let near = log_of_sum(x, 0.0f32);
    let result = select(x > -0.29f32 && x < 0.41f32, near, log(1.0f32 + x));
    select(x == 0.0f32, x, result)
}

/// `1 / (1 + e^-x)`.
#[cube]
pub fn sigmoid(x: f32) -> f32 {
    1.0f32 / (1.0f32 + exp(-x))
}

/// `min(x, 0) - log1p(e^-|x|)`.
#[cube]
pub fn log_sigmoid(x: f32) -> f32 {
    select(x > 0.0f32, 0.0f32, x) - log1p(exp(-magnitude(x)))
}

/// `x` times [`sigmoid`] of it.
#[cube]
pub fn silu(x: f32) -> f32 {
    x * sigmoid(x)
}

/// `x` times [`sigmoid`] of `2 sqrt(2 / pi) (x + 0.044715 x^3)`.
#[cube]
pub fn gelu_tanh(x: f32) -> f32 {
    x * sigmoid(gelu_gate(x))
}

/// `2 sqrt(2 / pi) (x + 0.044715 x^3)`.
#[cube]
fn gelu_gate(x: f32) -> f32 {
    x * (x * x * 0.071_354_814f32 + 1.595_769f32)
}
