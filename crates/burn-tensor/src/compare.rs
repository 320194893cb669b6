use crate::TensorError;
use crate::check::{check, together};
use crate::number::compared;
use crate::promotion::promoted;
use crate::{Bool, Float, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, CompareOp, DType, Elementwise, HasSpec, Operation, Scalar, TensorSpec};
use burn_derive::fallible;

#[fallible]
/// # Comparison
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    #[track_caller]
    fn compare(self, op: CompareOp, other: Self) -> Result<Tensor<B, D, Bool>, TensorError> {
        let (lhs, rhs) = promoted::<B>(self.into_handle(), other.into_handle());
        check(&Operation::Elementwise(Elementwise::Compare { op, lhs: lhs.spec(), rhs: rhs.spec() }))?;
        together::<B>(op.name(), &lhs, &[&rhs])?;
        Ok(Tensor::from_handle(B::compare(op, lhs, rhs)))
    }

    fn compare_scalar(self, op: CompareOp, other: Scalar) -> Tensor<B, D, Bool> {
        let Scalar::Float(value) = other else {
            return Tensor::from_handle(B::compare_scalar(op, self.into_handle(), other));
        };
        if !self.dtype().is_int() {
            return Tensor::from_handle(B::compare_scalar(op, self.into_handle(), other));
        }
        match compared(op, value) {
            Ok((op, whole)) => {
                Tensor::from_handle(B::compare_scalar(op, self.into_handle(), Scalar::Int(whole)))
            }
            Err(always) => {
                let spec = TensorSpec { shape: self.shape(), dtype: DType::Bool };
                Tensor::from_handle(B::full(spec, Scalar::Bool(always), &self.device()))
            }
        }
    }

    /// Compares elementwise, `x == y`; shapes broadcast; NaN equals nothing. PyTorch: `torch.eq`.
    pub fn try_equal(self, other: Self) -> Result<Tensor<B, D, Bool>, TensorError> {
        self.compare(CompareOp::Equal, other)
    }

    /// Compares elementwise, `x != y`. PyTorch: `torch.ne`.
    pub fn try_not_equal(self, other: Self) -> Result<Tensor<B, D, Bool>, TensorError> {
        self.compare(CompareOp::NotEqual, other)
    }

    /// Compares with a scalar, `x == value`. PyTorch: `torch.eq`.
    pub fn try_equal_elem(self, value: impl Into<Scalar>) -> Result<Tensor<B, D, Bool>, TensorError> {
        Ok(self.compare_scalar(CompareOp::Equal, value.into()))
    }

    /// Compares with a scalar, `x != value`. PyTorch: `torch.ne`.
    pub fn try_not_equal_elem(self, value: impl Into<Scalar>) -> Result<Tensor<B, D, Bool>, TensorError> {
        Ok(self.compare_scalar(CompareOp::NotEqual, value.into()))
    }
}

macro_rules! ordered {
    ($($fallible:ident, $scalar:ident => $op:ident, $symbol:literal, $torch:literal;)*) => {
        #[fallible]
        /// # Comparison, of Float and Int tensors
        impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {$(
            #[doc = concat!("`x ", $symbol, " y`; shapes broadcast. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the shapes do not broadcast.
            pub fn $fallible(self, other: Self) -> Result<Tensor<B, D, Bool>, TensorError> {
                self.compare(CompareOp::$op, other)
            }

            #[doc = concat!("`x ", $symbol, " value`. PyTorch: `", $torch, "`.")]
            pub fn $scalar(self, value: impl Into<Scalar>) -> Result<Tensor<B, D, Bool>, TensorError> {
                Ok(self.compare_scalar(CompareOp::$op, value.into()))
            }
        )*}
    };
}

ordered! {
    try_greater, try_greater_elem => Greater, ">", "torch.gt";
    try_greater_equal, try_greater_equal_elem => GreaterEqual, ">=", "torch.ge";
    try_lower, try_lower_elem => Less, "<", "torch.lt";
    try_lower_equal, try_lower_equal_elem => LessEqual, "<=", "torch.le";
}

#[fallible]
/// # Comparison, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Tests whether each element is NaN, which no integer is. PyTorch: `torch.isnan`.
    pub fn try_is_nan(self) -> Result<Tensor<B, D, Bool>, TensorError> {
        let x = self.into_handle();
        Ok(Tensor::from_handle(B::compare(CompareOp::NotEqual, x.clone(), x)))
    }

    /// Tests whether each element is infinite, which no integer is. PyTorch: `torch.isinf`.
    pub fn try_is_inf(self) -> Result<Tensor<B, D, Bool>, TensorError> {
        Ok(self.abs().equal_elem(f64::INFINITY))
    }

    /// Tests whether each element is neither infinite nor NaN, as every integer is. PyTorch:
    /// `torch.isfinite`.
    pub fn try_is_finite(self) -> Result<Tensor<B, D, Bool>, TensorError> {
        Ok(self.abs().lower_elem(f64::INFINITY))
    }

    /// Tests whether any element is NaN, shape `[1]`. PyTorch: `torch.isnan(x).any()`.
    pub fn try_contains_nan(self) -> Result<Tensor<B, 1, Bool>, TensorError> {
        Ok(self.is_nan().any())
    }

    /// Tests whether elements are close: `|x - y| <= atol + rtol * |y|`, or both the same infinity. The
    /// defaults are PyTorch's, `1e-5` and `1e-8`. PyTorch: `torch.isclose`.
    pub fn try_is_close(
        self,
        other: Self,
        rtol: Option<f64>,
        atol: Option<f64>,
    ) -> Result<Tensor<B, D, Bool>, TensorError> {
        let equal = self.clone().try_equal(other.clone())?;
        let (x, y) = (as_float(self), as_float(other));
        let finite = y.clone().is_inf().bool_not();
        let tolerance = y.clone().abs() * rtol.unwrap_or(1e-5) + atol.unwrap_or(1e-8);
        let near = (x - y).abs().lower_equal(tolerance);
        Ok(near.bool_and(finite).bool_or(equal))
    }

    /// Tests whether every element [is close](Tensor::is_close); reads the device. PyTorch: `torch.allclose`.
    pub fn try_all_close(
        self,
        other: Self,
        rtol: Option<f64>,
        atol: Option<f64>,
    ) -> Result<bool, TensorError> {
        self.try_is_close(other, rtol, atol)?.all().try_into_scalar()
    }
}

fn as_float<B: Backend, const D: usize, K: Numeric>(x: Tensor<B, D, K>) -> Tensor<B, D, Float> {
    let float = x.dtype().is_float();
    Tensor::from_handle(if float { x.into_handle() } else { B::cast(x.into_handle(), Float::dtype::<B>()) })
}
