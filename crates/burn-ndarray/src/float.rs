//! Elementary functions. The `f32` ones have no branches and no calls, so that loops over them vectorise.

use burn_backend::Element;
use std::ops::{Add, Div, Mul, Neg, Sub};

pub trait Number:
    Element + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn powf(self, exponent: Self) -> Self;
    fn bigger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

pub trait Float: Number + Neg<Output = Self> {
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tanh(self) -> Self;
    fn erf(self) -> Self;
    fn floor(self) -> Self;
    fn abs(self) -> Self;
}

macro_rules! number {
    ($ty:ty, $powf:expr) => {
        impl Number for $ty {
            #[inline(always)]
            fn powf(self, exponent: Self) -> Self {
                $powf(self, exponent)
            }
            #[inline(always)]
            fn bigger(self, other: Self) -> Self {
                if self > other || self != self { self } else { other }
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other || self != self { self } else { other }
            }
        }
    };
}
number!(f64, f64::powf);
number!(f32, f32::powf);
number!(i64, |x: i64, y: i64| (x as f64).powf(y as f64) as i64);

macro_rules! float {
    ($ty:ident { $($name:ident = $function:expr),* }) => {
        impl Float for $ty {
            $(#[inline(always)]
            fn $name(self) -> Self {
                $function(self)
            })*
        }
    };
}
float!(f64 {
    exp = f64::exp, ln = f64::ln, sqrt = f64::sqrt, sin = f64::sin, cos = f64::cos, tanh = f64::tanh,
    erf = libm::erf, floor = f64::floor, abs = f64::abs
});
float!(f32 {
    exp = exp_f32, ln = f32::ln, sqrt = f32::sqrt, sin = f32::sin, cos = f32::cos, tanh = tanh_f32,
    erf = erf_f32, floor = f32::floor, abs = f32::abs
});

/// `2^n * p(r)` with `x = n ln 2 + r`, `|r| <= ln 2 / 2`; relative error below 2e-7.
#[inline(always)]
fn exp_f32(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let clamped = x.clamp(-87.3, 88.7);
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = clamped - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = 1.0
        + r * (1.0 + r * (0.5 + r * (0.166_666_57 + r * (0.041_665_8 + r * (0.008_333_6 + r * 0.001_394)))));
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    let y = p * scale;
    let y = if x.is_nan() { x } else { y };
    if x > 88.7 {
        f32::INFINITY
    } else if x < -87.3 {
        0.0
    } else {
        y
    }
}

/// `1 - 2 / (e^2x + 1)`.
#[inline(always)]
fn tanh_f32(x: f32) -> f32 {
    1.0 - 2.0 / (exp_f32(2.0 * x) + 1.0)
}

/// Abramowitz and Stegun 7.1.26; absolute error below 1.5e-7.
#[inline(always)]
fn erf_f32(x: f32) -> f32 {
    let magnitude = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * magnitude);
    let p = t * (0.254_829_6 + t * (-0.284_496_72 + t * (1.421_413_8 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - p * exp_f32(-magnitude * magnitude)).copysign(x)
}
