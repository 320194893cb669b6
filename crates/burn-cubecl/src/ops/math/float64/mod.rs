//! Elementary functions of `f64`, to a few units in the last place, without a fused multiplication or what a
//! driver has.
//!
//! Where the difference of two numbers matters, one of them has digits cut off by its bits: drivers take what
//! adds a number and subtracts it again for nothing.

mod angle;
mod arc;
mod error;
mod exponential;
mod hyperbolic;
mod logarithm;
mod modulo;
mod power;

pub use angle::{cos, sin, tan};
pub use arc::{acos, asin, atan, atan2};
pub use error::{error_function, gelu};
pub use exponential::{exp, exp_m1, gelu_tanh, log_sigmoid, sigmoid, silu};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use logarithm::{log, log1p};
pub use modulo::{fmod, remainder};
pub use power::{length, pow};

use cubecl::prelude::*;

/// `x` with the sign of `sign`.
#[cube]
pub fn copy_sign(x: f64, sign: f64) -> f64 {
    f64::reinterpret(
        (u64::reinterpret(x) & 0x7fff_ffff_ffff_ffffu64)
            | (u64::reinterpret(sign) & 0x8000_0000_0000_0000u64),
    )
}

#[cube]
pub fn magnitude(x: f64) -> f64 {
    f64::reinterpret(u64::reinterpret(x) & 0x7fff_ffff_ffff_ffffu64)
}

#[cube]
pub fn opposite(x: f64) -> f64 {
    f64::reinterpret(u64::reinterpret(x) ^ 0x8000_0000_0000_0000u64)
}

#[cube]
pub fn is_negative(x: f64) -> bool {
    (u64::reinterpret(x) >> 63u64) == 1u64
}

/// Whether `x` is NaN, by its bits: drivers may assume that there are none.
#[cube]
pub fn is_nan(x: f64) -> bool {
    (u64::reinterpret(x) & 0x7fff_ffff_ffff_ffffu64) > 0x7ff0_0000_0000_0000u64
}

/// Whether `x` is neither infinite nor NaN.
#[cube]
pub fn is_finite(x: f64) -> bool {
    (u64::reinterpret(x) & 0x7ff0_0000_0000_0000u64) != 0x7ff0_0000_0000_0000u64
}

#[cube]
pub fn nan() -> f64 {
    f64::reinterpret(0x7ff8_0000_0000_0000u64)
}

#[cube]
pub fn infinity() -> f64 {
    f64::reinterpret(0x7ff0_0000_0000_0000u64)
}

/// `2^n` for normal results.
#[cube]
pub fn power_of_two(n: i32) -> f64 {
    f64::reinterpret(u64::cast_from(u32::reinterpret(n + 1023i32)) << 52u64)
}

/// `x` without the last 27 of its 53 digits: products of two such numbers are exact.
#[cube]
fn upper(x: f64) -> f64 {
    f64::reinterpret(u64::reinterpret(x) & 0xffff_ffff_f800_0000u64)
}
