//! Elementary functions of `f32`, and of `f64` in [`float64`], as polynomials: what drivers offer under these
//! names is good to a few digits only, differs between them, and is not there for `f64` on Vulkan.

mod angle;
mod exponential;
pub mod float64;
mod power;
mod statistics;

pub use angle::*;
pub use exponential::*;
pub use power::*;
pub use statistics::*;

use cubecl::prelude::*;

/// `x` with the sign of `sign`.
#[cube]
pub fn copy_sign(x: f32, sign: f32) -> f32 {
    f32::reinterpret((u32::reinterpret(x) & 0x7fff_ffffu32) | (u32::reinterpret(sign) & 0x8000_0000u32))
}

#[cube]
pub fn magnitude(x: f32) -> f32 {
    f32::reinterpret(u32::reinterpret(x) & 0x7fff_ffffu32)
}

/// Whether `x` is NaN, by its bits: drivers may assume that there are none.
#[cube]
pub fn is_nan(x: f32) -> bool {
    (u32::reinterpret(x) & 0x7fff_ffffu32) > 0x7f80_0000u32
}

/// Whether `x`, an `f32` or an `f64`, is NaN, by its bits: drivers may assume that there are none.
#[cube]
pub fn is_not_a_number<T: Numeric>(x: T) -> bool {
    let bytes = T::type_size();
    if comptime!(bytes == 8) { float64::is_nan(f64::reinterpret(x)) } else { is_nan(f32::reinterpret(x)) }
}

#[cube]
pub fn nan() -> f32 {
    f32::reinterpret(0x7fc0_0000u32)
}

#[cube]
pub fn infinity() -> f32 {
    f32::reinterpret(0x7f80_0000u32)
}

/// `2^n` for normal results.
#[cube]
pub fn power_of_two(n: i32) -> f32 {
    f32::reinterpret(u32::reinterpret(n + 127i32) << 23u32)
}
