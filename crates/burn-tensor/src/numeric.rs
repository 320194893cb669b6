use crate::check::{check, check_binary, together};
use crate::in_operation::try_in_operation;
use crate::number::written;
use crate::promotion::promoted;
use crate::{Float, Int, Numeric, Tensor, TensorError};
use burn_backend::{Backend, BinaryOp, Elementwise, HasSpec, Operation, Scalar};
use burn_derive::fallible;

/// # Arithmetic, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    #[inline]
    pub(crate) fn binary(self, op: BinaryOp, other: Self) -> Result<Self, TensorError> {
        try_in_operation(op.name(), || {
            let (lhs, rhs) = promoted::<B>(self.into_handle(), other.into_handle());
            check_binary(op, lhs.spec(), rhs.spec())?;
            together::<B>(op.name(), &lhs, &[&rhs])?;
            Ok(Self::from_handle(B::binary(op, lhs, rhs)))
        })
    }

    #[track_caller]
    #[inline]
    pub(crate) fn binary_scalar(self, op: BinaryOp, other: Scalar) -> Result<Self, TensorError> {
        try_in_operation(op.name(), || {
            if !op.accepts(self.dtype()) {
                check(&Operation::Elementwise(Elementwise::BinaryScalar {
                    op,
                    lhs: self.spec(),
                    rhs: other,
                }))?;
            }
            let other = written(op.name(), other, self.dtype())?;
            Ok(Self::from_handle(B::binary_scalar(op, self.into_handle(), other)))
        })
    }
}

#[fallible]
/// # Arithmetic, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Computes the elementwise maximum; NaN if either is NaN; shapes broadcast. PyTorch: `torch.maximum`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_max_pair(self, other: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Max, other)
    }

    /// Computes the elementwise minimum; NaN if either is NaN; shapes broadcast. PyTorch: `torch.minimum`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_min_pair(self, other: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Min, other)
    }

    /// Computes the remainder of division rounded toward zero, with the sign of the dividend; of integers, 0
    /// if the divisor is 0; shapes broadcast. PyTorch: `torch.fmod`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_fmod(self, other: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Fmod, other)
    }

    /// [`Tensor::fmod`] with one divisor. PyTorch: `torch.fmod`.
    ///
    /// # Errors
    /// When the divisor of an Int tensor is a fraction.
    pub fn try_fmod_scalar(self, value: impl Into<Scalar>) -> Result<Self, TensorError> {
        self.binary_scalar(BinaryOp::Fmod, value.into())
    }

    /// Clamps to a range, `min(max(x, min), max)`. PyTorch: `torch.clamp`.
    ///
    /// # Errors
    /// When a bound of an Int tensor is a fraction.
    pub fn try_clamp(self, min: impl Into<Scalar>, max: impl Into<Scalar>) -> Result<Self, TensorError> {
        let (min, max) = (min.into(), max.into());
        let (min, max) = (written("clamp", min, self.dtype())?, written("clamp", max, self.dtype())?);
        Ok(Self::from_handle(B::clamp(self.into_handle(), Some(min), Some(max))))
    }

    /// Clamps from below, `max(x, min)`. PyTorch: `torch.clamp_min`.
    ///
    /// # Errors
    /// When the bound of an Int tensor is a fraction.
    pub fn try_clamp_min(self, min: impl Into<Scalar>) -> Result<Self, TensorError> {
        let min = written("clamp_min", min.into(), self.dtype())?;
        Ok(Self::from_handle(B::clamp(self.into_handle(), Some(min), None)))
    }

    /// Clamps from above, `min(x, max)`. PyTorch: `torch.clamp_max`.
    ///
    /// # Errors
    /// When the bound of an Int tensor is a fraction.
    pub fn try_clamp_max(self, max: impl Into<Scalar>) -> Result<Self, TensorError> {
        let max = written("clamp_max", max.into(), self.dtype())?;
        Ok(Self::from_handle(B::clamp(self.into_handle(), None, Some(max))))
    }

    /// Computes `x^exponent` with one exponent. PyTorch: `torch.pow`.
    ///
    /// # Errors
    /// When the exponent of an Int tensor is a fraction.
    pub fn try_powf_scalar(self, exponent: impl Into<Scalar>) -> Result<Self, TensorError> {
        self.binary_scalar(BinaryOp::Pow, exponent.into())
    }

    /// Computes `x^exponent` with one integer exponent. PyTorch: `torch.pow`.
    ///
    /// # Errors
    /// When the exponent of an Int tensor is a fraction.
    pub fn try_powi_scalar(self, exponent: impl Into<Scalar>) -> Result<Self, TensorError> {
        self.binary_scalar(BinaryOp::Pow, exponent.into())
    }
}

#[fallible]
/// # Arithmetic, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Computes the [remainder](Tensor::remainder): the operator `%` under its name. PyTorch:
    /// `torch.remainder`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    #[allow(clippy::should_implement_trait)]
    pub fn try_rem(self, other: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Remainder, other)
    }
}

/// The operators under their names.
macro_rules! named {
    ($($method:ident, $scalar:ident => $op:ident, $symbol:literal, $torch:literal;)*) => {
        #[fallible]
        /// # Arithmetic, of Float and Int tensors
        impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {$(
            #[doc = concat!("`x ", $symbol, " y`; shapes broadcast. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the shapes do not broadcast.
            #[allow(clippy::should_implement_trait)]
            pub fn $method(self, other: Self) -> Result<Self, TensorError> {
                self.binary(BinaryOp::$op, other)
            }

            #[doc = concat!("`x ", $symbol, " value`. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the value beside an Int tensor is a fraction.
            pub fn $scalar(self, value: impl Into<Scalar>) -> Result<Self, TensorError> {
                self.binary_scalar(BinaryOp::$op, value.into())
            }
        )*}
    };
}

named! {
    try_add, try_add_scalar => Add, "+", "torch.add";
    try_sub, try_sub_scalar => Sub, "-", "torch.sub";
    try_mul, try_mul_scalar => Mul, "*", "torch.mul";
    try_div, try_div_scalar => Div, "/", "torch.div (of integers: rounding_mode='trunc')";
    try_remainder, try_remainder_scalar => Remainder, "%", "torch.remainder";
}

#[fallible]
/// # Arithmetic, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// Computes `x^y`; shapes broadcast. PyTorch: `torch.pow`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_powf(self, exponent: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Pow, exponent)
    }

    /// Computes `x^y` with integer exponents; shapes broadcast. PyTorch: `torch.pow`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_powi(self, exponent: Tensor<B, D, Int>) -> Result<Self, TensorError> {
        let exponent = Tensor::from_handle(B::cast(exponent.into_handle(), self.dtype()));
        self.binary(BinaryOp::Pow, exponent)
    }

    /// Computes the angle of the point `(other, self)`; shapes broadcast. PyTorch: `torch.atan2`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_atan2(self, other: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Atan2, other)
    }

    /// Computes `sqrt(x^2 + y^2)` without overflow on the way; shapes broadcast. PyTorch: `torch.hypot`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_hypot(self, other: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Hypot, other)
    }
}

#[fallible]
/// # Arithmetic, of Int tensors
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// Computes `x^y`; shapes broadcast; see the page on semantics for negative exponents. PyTorch:
    /// `torch.pow`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_powi(self, exponent: Self) -> Result<Self, TensorError> {
        self.binary(BinaryOp::Pow, exponent)
    }
}
