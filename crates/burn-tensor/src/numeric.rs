use crate::check::{check, check_binary};
use crate::{Float, Int, Numeric, Tensor};
use burn_backend::{Backend, BinaryOp, HasSpec, Operation, Scalar, UnaryOp};

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    pub(crate) fn binary(self, op: BinaryOp, other: Self) -> Self {
        check_binary(op, self.handle.spec(), other.handle.spec());
        Self::from_handle(B::binary(op, self.handle, other.handle))
    }

    #[track_caller]
    pub(crate) fn binary_scalar(self, op: BinaryOp, other: Scalar) -> Self {
        if !op.accepts(self.dtype()) {
            check(&Operation::BinaryScalar { op, lhs: self.handle.spec(), rhs: other });
        }
        Self::from_handle(B::binary_scalar(op, self.handle, other))
    }

    #[track_caller]
    pub(crate) fn unary(self, op: UnaryOp) -> Self {
        if !op.accepts(self.dtype()) {
            check(&Operation::Unary { op, x: self.handle.spec() });
        }
        Self::from_handle(B::unary(op, self.handle))
    }

    /// `-x`.
    #[allow(clippy::should_implement_trait)]
    #[must_use]
    pub fn neg(self) -> Self {
        self.unary(UnaryOp::Neg)
    }

    /// `|x|`. PyTorch: `torch.abs`.
    #[must_use]
    pub fn abs(self) -> Self {
        self.unary(UnaryOp::Abs)
    }

    /// -1, 0 or 1. PyTorch: `torch.sign`.
    #[must_use]
    pub fn sign(self) -> Self {
        self.unary(UnaryOp::Sign)
    }

    /// `x * x`. PyTorch: `torch.square`.
    #[must_use]
    pub fn square(self) -> Self {
        self.unary(UnaryOp::Square)
    }

    /// The larger of each pair; NaN if either is NaN. PyTorch: `torch.maximum`.
    #[track_caller]
    #[must_use]
    pub fn max_pair(self, other: Self) -> Self {
        self.binary(BinaryOp::Max, other)
    }

    /// The smaller of each pair; NaN if either is NaN. PyTorch: `torch.minimum`.
    #[track_caller]
    #[must_use]
    pub fn min_pair(self, other: Self) -> Self {
        self.binary(BinaryOp::Min, other)
    }

    /// `min(max(x, min), max)`. PyTorch: `torch.clamp`.
    #[must_use]
    pub fn clamp(self, min: impl Into<Scalar>, max: impl Into<Scalar>) -> Self {
        Self::from_handle(B::clamp(self.handle, Some(min.into()), Some(max.into())))
    }

    /// `max(x, min)`.
    #[must_use]
    pub fn clamp_min(self, min: impl Into<Scalar>) -> Self {
        Self::from_handle(B::clamp(self.handle, Some(min.into()), None))
    }

    /// `min(x, max)`.
    #[must_use]
    pub fn clamp_max(self, max: impl Into<Scalar>) -> Self {
        Self::from_handle(B::clamp(self.handle, None, Some(max.into())))
    }

    /// `x^exponent` with one exponent. PyTorch: `torch.pow`.
    #[must_use]
    pub fn powf_scalar(self, exponent: impl Into<Scalar>) -> Self {
        self.binary_scalar(BinaryOp::Pow, exponent.into())
    }

    /// `x^exponent` with one whole exponent. PyTorch: `torch.pow`.
    #[must_use]
    pub fn powi_scalar(self, exponent: impl Into<Scalar>) -> Self {
        self.binary_scalar(BinaryOp::Pow, exponent.into())
    }
}

/// The operators under their names.
macro_rules! named {
    ($($method:ident, $scalar:ident => $op:ident, $symbol:literal, $torch:literal;)*) => {
        impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {$(
            #[doc = concat!("`x ", $symbol, " y`; shapes broadcast. PyTorch: `", $torch, "`.")]
            ///
            /// # Panics
            /// When the shapes do not broadcast or the dtypes differ.
            #[allow(clippy::should_implement_trait)]
            #[track_caller]
            #[must_use]
            pub fn $method(self, other: Self) -> Self {
                self.binary(BinaryOp::$op, other)
            }

            #[doc = concat!("`x ", $symbol, " value`.")]
            #[track_caller]
            #[must_use]
            pub fn $scalar(self, value: impl Into<Scalar>) -> Self {
                self.binary_scalar(BinaryOp::$op, value.into())
            }
        )*}
    };
}

named! {
    add, add_scalar => Add, "+", "torch.add";
    sub, sub_scalar => Sub, "-", "torch.sub";
    mul, mul_scalar => Mul, "*", "torch.mul";
    div, div_scalar => Div, "/", "torch.div (of integers: rounding_mode='trunc')";
    remainder, remainder_scalar => Remainder, "%", "torch.remainder";
}

impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// `x^y`. PyTorch: `torch.pow`.
    #[track_caller]
    #[must_use]
    pub fn powf(self, exponent: Self) -> Self {
        self.binary(BinaryOp::Pow, exponent)
    }

    /// `x^y` with whole exponents.
    #[track_caller]
    #[must_use]
    pub fn powi(self, exponent: Tensor<B, D, Int>) -> Self {
        let exponent = Tensor::from_handle(B::cast(exponent.handle, self.dtype()));
        self.binary(BinaryOp::Pow, exponent)
    }

    /// The angle of the point `(other, self)`. PyTorch: `torch.atan2`.
    #[track_caller]
    #[must_use]
    pub fn atan2(self, other: Self) -> Self {
        self.binary(BinaryOp::Atan2, other)
    }
}

impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// `x^y`. PyTorch: `torch.pow`.
    #[track_caller]
    #[must_use]
    pub fn powi(self, exponent: Self) -> Self {
        self.binary(BinaryOp::Pow, exponent)
    }
}
