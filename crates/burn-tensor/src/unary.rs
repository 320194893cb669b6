//! Functions of each element that are operations of their own.

use crate::in_operation::tensor_or_error;
use crate::{Float, Int, Numeric, Tensor, TensorError, TensorPrimitive};
use burn_backend::{Backend, HasSpec, UnaryOp};

/// Applies a unary operation. One body for all functions and ranks: programs compile it once for a backend.
#[track_caller]
fn apply<B: Backend>(
    operation: &'static str,
    op: UnaryOp,
    x: TensorPrimitive<B>,
) -> Result<B::Tensor, TensorError> {
    debug_assert!(op.accepts(x.dtype()), "{} of {}", op.name(), x.dtype());
    let mut x = Some(x);
    tensor_or_error::<B>(operation, &mut || {
        let x = x.take().expect("it is called once");
        B::unary(op, x.tensor())
    })
}

/// # Elementwise functions, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Applies a function that is defined for every dtype of the kind.
    #[track_caller]
    pub(crate) fn unary_or_error(self, operation: &'static str, op: UnaryOp) -> Result<Self, TensorError> {
        match apply(operation, op, self.into_any()) {
            Ok(handle) => Ok(Self::from_handle(handle)),
            Err(error) => Err(error),
        }
    }

    #[track_caller]
    pub(crate) fn unary(self, operation: &'static str, op: UnaryOp) -> Self {
        match apply(operation, op, self.into_any()) {
            Ok(handle) => Self::from_handle(handle),
            Err(error) => error.raise(),
        }
    }
}

/// Functions of tensors of floats, with their docs.
macro_rules! unary_functions {
    ($($(#[$doc:meta])* $name:ident, $fallible:ident => $op:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        #[track_caller]
        pub fn $name<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
            tensor.unary(stringify!($name), UnaryOp::$op)
        }

        #[doc = concat!("[`", stringify!($name), "`], and what is wrong as a value.")]
        ///
        /// # Errors
        /// When memory cannot hold the result.
        #[track_caller]
        pub fn $fallible<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
            tensor.unary_or_error(stringify!($name), UnaryOp::$op)
        }
    )*};
}
pub(crate) use unary_functions;

macro_rules! unary_methods {
    ([$($parameter:tt)*] $kind:ident; $($(#[$alias:meta])? $name:ident, $fallible:ident => $op:ident, $doc:literal, $torch:literal;)*) => {
        /// # Elementwise functions
        impl<B: Backend, const D: usize, $($parameter)*> Tensor<B, D, $kind> {$(
            #[doc = concat!($doc, " PyTorch: `torch.", $torch, "`.")]
            $(#[$alias])?
            #[allow(clippy::should_implement_trait)]
            #[must_use]
            #[track_caller]
            pub fn $name(self) -> Self {
                self.unary(stringify!($name), UnaryOp::$op)
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), "), and what is wrong as a value.")]
            ///
            /// # Errors
            /// When memory cannot hold the result.
            #[track_caller]
            pub fn $fallible(self) -> Result<Self, TensorError> {
                self.unary_or_error(stringify!($name), UnaryOp::$op)
            }
        )*}
    };
}

unary_methods! { [K: Numeric] K;
    neg, try_neg => Neg, "`-x`.", "neg";
    abs, try_abs => Abs, "`|x|`.", "abs";
    sign, try_sign => Sign, "-1, 0 or 1; NaN of NaN. The gradient is zero.", "sign";
    square, try_square => Square, "`x * x`.", "square";
}

unary_methods! { [] Float;
    exp, try_exp => Exp, "`e^x`.", "exp";
    expm1, try_expm1 => ExpM1, "`e^x - 1`, exact near zero.", "expm1";
    log, try_log => Log, "Natural logarithm; NaN for `x < 0`.", "log";
    log1p, try_log1p => Log1p, "`log(1 + x)`, exact near zero.", "log1p";
    sqrt, try_sqrt => Sqrt, "Square root; NaN for `x < 0`.", "sqrt";
    sin, try_sin => Sin, "Sine of radians.", "sin";
    cos, try_cos => Cos, "Cosine of radians.", "cos";
    tan, try_tan => Tan, "Tangent of radians.", "tan";
    asin, try_asin => Asin, "Inverse sine.", "asin";
    acos, try_acos => Acos, "Inverse cosine.", "acos";
    atan, try_atan => Atan, "Inverse tangent.", "atan";
    sinh, try_sinh => Sinh, "Hyperbolic sine.", "sinh";
    cosh, try_cosh => Cosh, "Hyperbolic cosine.", "cosh";
    tanh, try_tanh => Tanh, "Hyperbolic tangent.", "tanh";
    asinh, try_asinh => Asinh, "Inverse hyperbolic sine.", "asinh";
    acosh, try_acosh => Acosh, "Inverse hyperbolic cosine; NaN for `x < 1`.", "acosh";
    atanh, try_atanh => Atanh, "Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.", "atanh";
    sigmoid, try_sigmoid => Sigmoid, "`1 / (1 + e^-x)`.", "sigmoid";
    erf, try_erf => Erf, "Gauss error function.", "erf";
    floor, try_floor => Floor, "Largest integer not above `x`. The gradient is zero.", "floor";
    ceil, try_ceil => Ceil, "Smallest integer not below `x`. The gradient is zero.", "ceil";
    round, try_round => Round, "Nearest integer, halves to the even one. The gradient is zero.", "round";
    trunc, try_trunc => Trunc, "The integer part, toward zero. The gradient is zero.", "trunc";
    #[doc(alias = "reciprocal")]
    recip, try_recip => Recip, "`1 / x`.", "reciprocal";
}

unary_methods! { [] Int;
    bitwise_not, try_bitwise_not => Not, "Every bit the other way: `-x - 1` of signed numbers.", "bitwise_not";
}
