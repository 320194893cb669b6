//! Element types as kernels of this crate compute with them, and as candle stores them.

use burn_backend::{Element, bf16, f16};
use burn_library_backend::stored;
use candle_core::WithDType;

/// An element type and the type that candle stores it as: itself, or the next wider one.
pub trait Number: Element {
    type Stored: WithDType;
    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
}

// There is no wider type than `u64`: its bits are stored as those of an `i64`.
stored! {
    Number: f64, f32, f16, bf16, i64, i32, i16, u32, u8, i8 as i16, u16 as u32, u64 as i64,
}

impl Number for bool {
    type Stored = u8;
    #[inline(always)]
    fn load(stored: u8) -> Self {
        stored != 0
    }
    #[inline(always)]
    fn store(self) -> u8 {
        self.into()
    }
}

/// A float type, and the type in which its sums are made.
pub trait Float: Number {
    type Sum: Float + Copy + std::ops::Add<Output = Self::Sum> + std::ops::Mul<Output = Self::Sum>;
    fn to_sum(self) -> Self::Sum;
    fn from_sum(sum: Self::Sum) -> Self;
}

macro_rules! float {
    ($($ty:ty, $sum:ty, $to:expr, $from:expr;)*) => {$(
        impl Float for $ty {
            type Sum = $sum;
            #[inline(always)]
            fn to_sum(self) -> $sum {
                $to(self)
            }
            #[inline(always)]
            fn from_sum(sum: $sum) -> Self {
                $from(sum)
            }
        }
    )*};
}
float! {
    f64, f64, |x| x, |x| x;
    f32, f32, |x| x, |x| x;
    f16, f32, f16::to_f32, f16::from_f32;
    bf16, f32, bf16::to_f32, bf16::from_f32;
}
