use crate::TensorError;
use crate::check::ensure;
use crate::options::on_device;
use crate::{Bool, Float, Int, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, CompareOp, DType, Scalar};
use burn_derive::fallible;

fn cast<B: Backend, const D: usize, K: TensorKind>(handle: B::Tensor, dtype: DType) -> Tensor<B, D, K> {
    use burn_backend::HasSpec;
    Tensor::from_handle(if handle.dtype() == dtype { handle } else { B::cast(handle, dtype) })
}

#[fallible]
/// # Conversion of dtype and kind
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Casts to another element type of the kind. PyTorch: `x.to(dtype)`.
    ///
    /// # Errors
    /// When `dtype` is of another kind: see `float`, `int` and `bool`; or the device has no such elements.
    pub fn try_cast(self, dtype: DType) -> Result<Self, TensorError> {
        ensure!(
            K::holds(dtype),
            "cast",
            "tensors of kind {} do not hold {dtype}; use float(), int() or bool()",
            K::NAME
        );
        on_device::<B>("cast", &self.device(), dtype)?;
        Ok(cast(self.into_handle(), dtype))
    }
}

#[fallible]
/// # Conversion of dtype and kind, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Converts to bool: true where an element is not zero. PyTorch: `x.bool()`.
    pub fn try_bool(self) -> Result<Tensor<B, D, Bool>, TensorError> {
        Ok(Tensor::from_handle(B::compare_scalar(CompareOp::NotEqual, self.into_handle(), Scalar::Int(0))))
    }
}

#[fallible]
/// # Conversion of dtype and kind, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// Truncates toward zero; saturates; NaN becomes 0. PyTorch: `x.long()`.
    pub fn try_int(self) -> Result<Tensor<B, D, Int>, TensorError> {
        Ok(cast(self.into_handle(), Int::dtype::<B>()))
    }

    /// Casts to `f32`. PyTorch: `x.float()`.
    pub fn try_to_full_precision(self) -> Result<Self, TensorError> {
        Ok(cast(self.into_handle(), DType::F32))
    }

    /// Casts `tensor` to the default float type of the backend. PyTorch has no counterpart.
    pub fn try_from_full_precision(tensor: Self) -> Result<Self, TensorError> {
        Ok(cast(tensor.into_handle(), Float::dtype::<B>()))
    }
}

#[fallible]
/// # Conversion of dtype and kind, of Int tensors
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// Converts to the nearest floats. PyTorch: `x.float()`.
    pub fn try_float(self) -> Result<Tensor<B, D, Float>, TensorError> {
        Ok(cast(self.into_handle(), Float::dtype::<B>()))
    }
}

#[fallible]
/// # Conversion of dtype and kind, of Bool tensors
impl<B: Backend, const D: usize> Tensor<B, D, Bool> {
    /// Converts to float: 1 where true, 0 elsewhere. PyTorch: `x.float()`.
    pub fn try_float(self) -> Result<Tensor<B, D, Float>, TensorError> {
        Ok(cast(self.into_handle(), Float::dtype::<B>()))
    }

    /// Converts to int: 1 where true, 0 elsewhere. PyTorch: `x.long()`.
    pub fn try_int(self) -> Result<Tensor<B, D, Int>, TensorError> {
        Ok(cast(self.into_handle(), Int::dtype::<B>()))
    }
}
