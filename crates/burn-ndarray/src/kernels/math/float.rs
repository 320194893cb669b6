use super::{double, single};
use bytemuck::Pod;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A float that kernels compute with. `FMA`: whether the machine multiplies and adds in one instruction.
pub trait Float:
    Pod
    + PartialOrd
    + Send
    + Sync
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;

    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
    fn is_nan(self) -> bool;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    /// Nearest integer, halves to the even one.
    fn round(self) -> Self;
    fn exp<const FMA: bool>(self) -> Self;
    fn exp_m1<const FMA: bool>(self) -> Self;
    fn log<const FMA: bool>(self) -> Self;
    fn log1p<const FMA: bool>(self) -> Self;
    fn tanh<const FMA: bool>(self) -> Self;
    fn erf<const FMA: bool>(self) -> Self;
    fn sigmoid<const FMA: bool>(self) -> Self;
    fn log_sigmoid<const FMA: bool>(self) -> Self;
    /// Sine (`quadrant` 0) or cosine (`quadrant` 1).
    fn sin_cos<const FMA: bool>(self, quadrant: i32) -> Self;
    /// Whether [`Float::sin_cos`] and [`Float::tan`] know this element; others go through `f64`.
    fn is_reducible(self) -> bool;
    fn tan<const FMA: bool>(self) -> Self;
    fn sinh<const FMA: bool>(self) -> Self;
    fn cosh<const FMA: bool>(self) -> Self;
    fn atan<const FMA: bool>(self) -> Self;
    fn asin<const FMA: bool>(self) -> Self;
    fn acos<const FMA: bool>(self) -> Self;
    fn atan2<const FMA: bool>(self, x: Self) -> Self;
    fn pow(self, exponent: Self) -> Self;
    /// Whether [`Float::plain_pow`] knows this base; exponents are finite.
    fn is_plain_base(self) -> bool;
    fn plain_pow(self, exponent: Self) -> Self;
    /// Whether [`Float::short_fmod`] knows these operands.
    fn is_short_division(self, divisor: Self) -> bool;
    fn short_fmod(self, divisor: Self) -> Self;

    /// `x (1 + erf(x / sqrt(2))) / 2`.
    #[inline(always)]
    fn gelu<const FMA: bool>(self) -> Self {
        self * Self::of(0.5) * (Self::ONE + (self * Self::of(core::f64::consts::FRAC_1_SQRT_2)).erf::<FMA>())
    }
    /// `x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))`, which is `x (1 + tanh(..)) / 2`.
    #[inline(always)]
    fn gelu_tanh<const FMA: bool>(self) -> Self {
        const SLOPE: f64 = core::f64::consts::FRAC_2_SQRT_PI * core::f64::consts::SQRT_2;
        let z = self * (self * self * Self::of(SLOPE * 0.044_715) + Self::of(SLOPE));
        self * z.sigmoid::<FMA>()
    }
    /// `x sigmoid(x)`.
    #[inline(always)]
    fn silu<const FMA: bool>(self) -> Self {
        self * self.sigmoid::<FMA>()
    }
    /// The larger; NaN if one is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other || self.is_nan() { self } else { other }
    }
    /// The smaller; NaN if one is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other || self.is_nan() { self } else { other }
    }
    /// Computes the remainder of division rounded down, with the sign of `divisor`.
    #[inline(always)]
    fn remainder(self, divisor: Self) -> Self {
        Self::of(self.wide() % divisor.wide()).on_side_of(divisor)
    }
    /// Moves a remainder to the sign of the divisor.
    #[inline(always)]
    fn on_side_of(self, divisor: Self) -> Self {
        let rest = self;
        let other_side = rest != Self::ZERO && (rest < Self::ZERO) != (divisor < Self::ZERO);
        if other_side { rest + divisor } else { rest }
    }
}

macro_rules! shared {
    ($ty:ident) => {
        const ZERO: Self = 0.0;
        const ONE: Self = 1.0;

        #[inline(always)]
        fn of(x: f64) -> Self {
            x as $ty
        }
        #[inline(always)]
        fn wide(self) -> f64 {
            f64::from(self)
        }
        #[inline(always)]
        fn is_nan(self) -> bool {
            $ty::is_nan(self)
        }
        #[inline(always)]
        fn abs(self) -> Self {
            $ty::abs(self)
        }
    };
}

/// Functions that the instruction set has.
#[cfg(feature = "std")]
macro_rules! instructions {
    ($ty:ident, $($name:ident = $std:ident),*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            $ty::$std(self)
        }
    )*};
}
#[cfg(not(feature = "std"))]
macro_rules! instructions {
    ($ty:ident, $($name:ident = $std:ident),*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            double::$name(f64::from(self)) as $ty
        }
    )*};
}

macro_rules! functions {
    ($($name:ident: $function:expr;)*) => {$(
        #[inline(always)]
        fn $name<const FMA: bool>(self) -> Self {
            $function(self)
        }
    )*};
}

impl Float for f32 {
    shared!(f32);
    instructions!(f32, sqrt = sqrt, floor = floor, ceil = ceil, trunc = trunc, round = round_ties_even);
    functions! {
        exp: single::exp::<FMA>;
        exp_m1: single::exp_m1::<FMA>;
        log: single::log::<FMA>;
        log1p: single::log1p::<FMA>;
        tanh: single::tanh::<FMA>;
        erf: single::erf::<FMA>;
        sigmoid: single::sigmoid::<FMA>;
        log_sigmoid: single::log_sigmoid::<FMA>;
        tan: single::tan::<FMA>;
        sinh: single::sinh::<FMA>;
        cosh: single::cosh::<FMA>;
        atan: single::atan::<FMA>;
        asin: single::asin::<FMA>;
        acos: single::acos::<FMA>;
    }
    #[inline(always)]
    fn atan2<const FMA: bool>(self, x: Self) -> Self {
        single::atan2::<FMA>(self, x)
    }
    #[inline(always)]
    fn is_plain_base(self) -> bool {
        single::is_plain_base(self)
    }
    #[inline(always)]
    fn plain_pow(self, exponent: Self) -> Self {
        single::pow(self, exponent)
    }
    #[inline(always)]
    fn is_short_division(self, divisor: Self) -> bool {
        single::is_short_division(self, divisor)
    }
    #[inline(always)]
    fn short_fmod(self, divisor: Self) -> Self {
        single::fmod(self, divisor)
    }
    #[inline(always)]
    fn sin_cos<const FMA: bool>(self, quadrant: i32) -> Self {
        single::sin_cos::<FMA>(self, quadrant)
    }
    #[inline(always)]
    fn is_reducible(self) -> bool {
        single::is_reducible(self)
    }
    #[inline(always)]
    fn pow(self, exponent: Self) -> Self {
        #[cfg(feature = "std")]
        return self.powf(exponent);
        #[cfg(not(feature = "std"))]
        libm::powf(self, exponent)
    }
}

impl Float for f64 {
    shared!(f64);
    instructions!(f64, sqrt = sqrt, floor = floor, ceil = ceil, trunc = trunc, round = round_ties_even);
    functions! {
        exp: double::exp;
        exp_m1: double::exp_m1;
        log: double::log;
        log1p: double::log1p;
        tanh: double::tanh;
        erf: libm::erf;
        sigmoid: |x: f64| 1.0 / (1.0 + double::exp(-x));
        log_sigmoid: |x: f64| (if x > 0.0 { 0.0 } else { x }) - double::log1p(double::exp(-x.abs()));
        tan: double::tan;
        sinh: double::sinh;
        cosh: double::cosh;
        atan: double::atan;
        asin: double::asin;
        acos: double::acos;
    }
    #[inline(always)]
    fn atan2<const FMA: bool>(self, x: Self) -> Self {
        double::atan2(self, x)
    }
    #[inline(always)]
    fn is_plain_base(self) -> bool {
        false
    }
    #[inline(always)]
    fn plain_pow(self, exponent: Self) -> Self {
        double::pow(self, exponent)
    }
    #[inline(always)]
    fn is_short_division(self, _: Self) -> bool {
        false
    }
    #[inline(always)]
    fn short_fmod(self, divisor: Self) -> Self {
        self % divisor
    }
    #[inline(always)]
    fn sin_cos<const FMA: bool>(self, quadrant: i32) -> Self {
        if quadrant == 0 { double::sin(self) } else { double::cos(self) }
    }
    #[inline(always)]
    fn is_reducible(self) -> bool {
        true
    }
    #[inline(always)]
    fn pow(self, exponent: Self) -> Self {
        double::pow(self, exponent)
    }
}
