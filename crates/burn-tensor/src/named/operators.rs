use super::dims::Names;
use super::tensor::NamedTensor;
use crate::operators::Number;
use crate::{Numeric, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;
use core::ops::{Add, Div, Mul, Neg, Sub};

macro_rules! named_operators {
    ($($trait:ident, $operator:ident, $method:ident, $symbol:literal, $torch:literal;)*) => {
        #[fallible]
        impl<B: Backend, N: Names, K: Numeric> NamedTensor<B, N, K> {$(
            #[doc = concat!("`x ", $symbol, " y` of the same names; sizes 1 are repeated. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When sizes differ and none of them is 1.
            #[allow(clippy::should_implement_trait)]
            pub fn $method(self, other: Self) -> Result<Self, TensorError> {
                Ok(Self::wrap(self.inner.$method(other.inner)?))
            }
        )*}

        $(
            impl<B: Backend, N: Names, K: Numeric> $trait for NamedTensor<B, N, K> {
                type Output = Self;
                #[track_caller]
                fn $operator(self, other: Self) -> Self {
                    Self::wrap($trait::$operator(self.inner, other.inner))
                }
            }

            impl<B: Backend, N: Names, K: Numeric, S: Number> $trait<S> for NamedTensor<B, N, K> {
                type Output = Self;
                #[track_caller]
                fn $operator(self, other: S) -> Self {
                    Self::wrap($trait::$operator(self.inner, other))
                }
            }
        )*
    };
}

named_operators! {
    Add, add, try_add, "+", "torch.add";
    Sub, sub, try_sub, "-", "torch.sub";
    Mul, mul, try_mul, "*", "torch.mul";
    Div, div, try_div, "/", "torch.div";
}

impl<B: Backend, N: Names, K: Numeric> Neg for NamedTensor<B, N, K> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::wrap(-self.inner)
    }
}
