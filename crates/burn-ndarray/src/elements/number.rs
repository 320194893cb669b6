use super::arithmetic::Arithmetic;

/// One of the four types of arithmetic: `f64`, `f32`, `i64`, `u64`. Integers wrap.
pub trait Number: Arithmetic + PartialOrd + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    /// Below or equal to everything.
    const LOWEST: Self;
    /// Above or equal to everything.
    const HIGHEST: Self;
    /// Whether sums and products are the same in every order.
    const IS_INTEGER: bool;

    fn over(self, other: Self) -> Self;
    fn of(count: usize) -> Self;
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
            const IS_INTEGER: bool = false;

            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn of(count: usize) -> Self {
                count as $ty
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
            const IS_INTEGER: bool = true;

            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self.wrapping_div(other)
            }
            #[inline(always)]
            fn of(count: usize) -> Self {
                count as $ty
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
