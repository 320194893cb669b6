use burn_backend::{bf16, f16};
use bytemuck::Pod;

/// Arithmetic of an element in the type that it is stored in.
pub trait Arithmetic: Pod + Send + Sync {
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The product; integers wrap.
    fn times(self, other: Self) -> Self;
    /// The smaller; NaN if one is NaN.
    fn smaller(self, other: Self) -> Self;
    /// The larger; NaN if one is NaN.
    fn larger(self, other: Self) -> Self;
}

macro_rules! arithmetic {
    (floats: $($ty:ty),*) => {$(
        impl Arithmetic for $ty {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other || self.is_nan() { self } else { other }
            }
        }
    )*};
    (ints: $($ty:ty),*) => {$(
        impl Arithmetic for $ty {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}
arithmetic!(floats: f64, f32, f16, bf16);
arithmetic!(ints: i64, i32, i16, i8, u64, u32, u16, u8);
