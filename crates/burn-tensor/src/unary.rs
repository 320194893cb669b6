//! Functions of each element that are operations of their own.

use crate::in_operation::try_in_operation;
use crate::{Float, Int, Numeric, Tensor, TensorError};
use burn_backend::{Backend, UnaryOp};

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// The result of a function that every dtype of the kind has; what is raised passes through.
    pub(crate) fn elementwise(self, op: UnaryOp) -> Self {
        debug_assert!(op.accepts(self.dtype()), "{} of {}", op.name(), self.dtype());
        Self::from_handle(B::unary(op, self.into_handle()))
    }

    /// One body for all methods: programs compile it once.
    #[track_caller]
    fn try_unary(self, operation: &'static str, op: UnaryOp) -> Result<Self, TensorError> {
        try_in_operation(operation, || Ok(self.elementwise(op)))
    }

    #[track_caller]
    pub(crate) fn unary(self, operation: &'static str, op: UnaryOp) -> Self {
        match self.try_unary(operation, op) {
            Ok(value) => value,
            Err(error) => error.raise(),
        }
    }
}

macro_rules! unary_methods {
    ([$($parameter:tt)*] $kind:ident; $($name:ident, $fallible:ident => $op:ident, $doc:literal, $torch:literal;)*) => {
        impl<B: Backend, const D: usize, $($parameter)*> Tensor<B, D, $kind> {$(
            #[doc = concat!($doc, " PyTorch: `torch.", $torch, "`.")]
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
                self.try_unary(stringify!($name), UnaryOp::$op)
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
    recip, try_recip => Recip, "`1 / x`.", "reciprocal";
}

unary_methods! { [] Int;
    bitwise_not, try_bitwise_not => Not, "Every bit the other way: `-x - 1` of signed numbers.", "bitwise_not";
}
