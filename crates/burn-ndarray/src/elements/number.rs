use crate::kernels::math::Float;
use bytemuck::Pod;

/// One of the four types of arithmetic: `f64`, `f32`, `i64`, `u64`. Integers wrap.
pub trait Number: Pod + PartialOrd + PartialEq + Send + Sync {
    const ZERO: Self;
    const ONE: Self;
    /// Below or equal to everything.
    const LOWEST: Self;
    /// Above or equal to everything.
    const HIGHEST: Self;

    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn of(count: usize) -> Self;
    /// The larger; NaN if one is NaN.
    fn larger(self, other: Self) -> Self;
    /// The smaller; NaN if one is NaN.
    fn smaller(self, other: Self) -> Self;
    /// The sum of a few sums; floats are added in `f64`.
    fn sum(parts: impl Iterator<Item = Self>) -> Self;

    fn is_nan(self) -> bool;
}

macro_rules! float {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = $ty::NEG_INFINITY;
            const HIGHEST: Self = $ty::INFINITY;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn of(count: usize) -> Self {
                count as $ty
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                Float::max(self, other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                Float::min(self, other)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                $ty::is_nan(self)
            }
            #[inline(always)]
            fn sum(parts: impl Iterator<Item = Self>) -> Self {
                parts.map(f64::from).sum::<f64>() as $ty
            }
        }
    )*};
}
float!(f64 f32);

macro_rules! int {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = $ty::MIN;
            const HIGHEST: Self = $ty::MAX;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self.wrapping_div(other)
            }
            #[inline(always)]
            fn of(count: usize) -> Self {
                count as $ty
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn sum(parts: impl Iterator<Item = Self>) -> Self {
                parts.fold(0, $ty::wrapping_add)
            }
        }
    )*};
}
int!(i64 u64);
