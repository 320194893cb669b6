use crate::{Bool, Numeric, Tensor};
use burn_backend::{Backend, BinaryOp, Scalar, UnaryOp};
use core::ops::{Add, Div, Mul, Neg, Not, Rem, Sub};

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl<B: Backend, const D: usize, K: Numeric> $trait for Tensor<B, D, K> {
            type Output = Self;
            #[track_caller]
            #[inline]
            fn $method(self, other: Self) -> Self {
                match self.binary(BinaryOp::$op, other) {
                    Ok(value) => value,
                    Err(error) => error.raise(),
                }
            }
        }

        impl<B: Backend, const D: usize, K: Numeric, S: Number> $trait<S> for Tensor<B, D, K> {
            type Output = Self;
            #[track_caller]
            #[inline]
            fn $method(self, other: S) -> Self {
                match self.binary_scalar(BinaryOp::$op, other.into()) {
                    Ok(value) => value,
                    Err(error) => error.raise(),
                }
            }
        }
    };
}

operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(Mul, mul, Mul);
operator!(Div, div, Div);
operator!(Rem, rem, Remainder);

impl<B: Backend, const D: usize, K: Numeric> Neg for Tensor<B, D, K> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        self.unary("neg", UnaryOp::Neg)
    }
}

impl<B: Backend, const D: usize> Not for Tensor<B, D, Bool> {
    type Output = Self;
    #[track_caller]
    fn not(self) -> Self {
        self.bool_not()
    }
}

/// A Rust number that can stand beside a tensor.
#[diagnostic::on_unimplemented(
    message = "a tensor cannot be combined with `{Self}`",
    label = "this is neither a number nor a tensor of the same backend, rank and kind",
    note = "ranks differ: use `unsqueeze` or `reshape`; kinds differ: use `float()` or `int()`"
)]
pub trait Number: Into<Scalar> {}

macro_rules! numbers {
    ($($ty:ty)*) => { $(impl Number for $ty {})* };
}
numbers!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 isize usize);
numbers!(burn_backend::f16 burn_backend::bf16);

macro_rules! number_first {
    ($($ty:ty)*) => {$(
        impl<B: Backend, const D: usize, K: Numeric> Add<Tensor<B, D, K>> for $ty {
            type Output = Tensor<B, D, K>;
            fn add(self, tensor: Tensor<B, D, K>) -> Tensor<B, D, K> {
                tensor + self
            }
        }
        impl<B: Backend, const D: usize, K: Numeric> Sub<Tensor<B, D, K>> for $ty {
            type Output = Tensor<B, D, K>;
            fn sub(self, tensor: Tensor<B, D, K>) -> Tensor<B, D, K> {
                -tensor + self
            }
        }
        impl<B: Backend, const D: usize, K: Numeric> Mul<Tensor<B, D, K>> for $ty {
            type Output = Tensor<B, D, K>;
            fn mul(self, tensor: Tensor<B, D, K>) -> Tensor<B, D, K> {
                tensor * self
            }
        }
        impl<B: Backend, const D: usize> Div<Tensor<B, D>> for $ty {
            type Output = Tensor<B, D>;
            #[allow(clippy::suspicious_arithmetic_impl)]
            fn div(self, tensor: Tensor<B, D>) -> Tensor<B, D> {
                tensor.recip() * self
            }
        }
    )*};
}
number_first!(f32 f64 i32 i64);
