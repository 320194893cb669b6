use crate::check::ensure;
use crate::options::on_device;
use crate::{Bool, DynTensor, Float, Int, Numeric, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, CompareOp, DType, HasSpec, Scalar};
use burn_derive::fallible;

impl<B: Backend, const D: usize, K: TensorKind> From<Tensor<B, D, K>> for DynTensor<B, K> {
    fn from(tensor: Tensor<B, D, K>) -> Self {
        DynTensor::from_handle(tensor.into_handle())
    }
}

impl<B: Backend, const D: usize, K: TensorKind> TryFrom<DynTensor<B, K>> for Tensor<B, D, K> {
    type Error = TensorError;

    #[track_caller]
    fn try_from(tensor: DynTensor<B, K>) -> Result<Self, TensorError> {
        match tensor.try_into_rank() {
            Ok(tensor) => Ok(tensor),
            Err(error) => Err(error.in_operation("try_from")),
        }
    }
}

/// # Conversion to a tensor of dynamic rank
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Converts to a tensor whose rank is known at run time only. Inverse: [`DynTensor::into_rank`]. PyTorch
    /// has no counterpart.
    #[must_use]
    pub fn into_dyn(self) -> DynTensor<B, K> {
        self.into()
    }
}

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Converts to a tensor with its rank in the type. PyTorch has no counterpart.
    ///
    /// # Errors
    /// When the rank is not `D`.
    pub fn try_into_rank<const D: usize>(self) -> Result<Tensor<B, D, K>, TensorError> {
        let shape = &self.handle.spec().shape;
        let rank = shape.rank();
        ensure!(rank == D, "into_rank", "shape {shape:?} has rank {rank}, the tensor has rank {D}");
        Ok(Tensor::from_handle(self.handle))
    }
}

fn cast<B: Backend, K: TensorKind>(x: B::Tensor, dtype: DType) -> DynTensor<B, K> {
    DynTensor::from_handle(if x.dtype() == dtype { x } else { B::cast(x, dtype) })
}

#[fallible]
impl<B: Backend, K: Numeric> DynTensor<B, K> {
    /// Casts to another element type of the kind. PyTorch: `x.to(dtype)`.
    ///
    /// # Errors
    /// When `dtype` is of another kind: see `float`, `int` and `bool`; or the device has no such elements.
    pub fn try_cast(self, dtype: DType) -> Result<Self, TensorError> {
        let holds = K::holds(dtype);
        ensure!(holds, "cast", "a {} tensor cannot hold {dtype}; use float(), int() or bool()", K::NAME);
        on_device::<B>("cast", &self.device(), dtype)?;
        Ok(cast(self.handle, dtype))
    }

    /// Converts to bool: true where an element is not zero. PyTorch: `x.bool()`.
    pub fn try_bool(self) -> Result<DynTensor<B, Bool>, TensorError> {
        Ok(DynTensor::from_handle(B::compare_scalar(CompareOp::NotEqual, self.handle, Scalar::Int(0))))
    }
}

#[fallible]
impl<B: Backend> DynTensor<B, Float> {
    /// Truncates toward zero; saturates; NaN becomes 0. PyTorch: `x.long()`.
    pub fn try_int(self) -> Result<DynTensor<B, Int>, TensorError> {
        Ok(cast(self.handle, Int::dtype::<B>()))
    }
}

#[fallible]
impl<B: Backend> DynTensor<B, Int> {
    /// Converts to the nearest floats. PyTorch: `x.float()`.
    pub fn try_float(self) -> Result<DynTensor<B, Float>, TensorError> {
        Ok(cast(self.handle, Float::dtype::<B>()))
    }
}

#[fallible]
impl<B: Backend> DynTensor<B, Bool> {
    /// Converts to float: 1 where true, 0 elsewhere. PyTorch: `x.float()`.
    pub fn try_float(self) -> Result<DynTensor<B, Float>, TensorError> {
        Ok(cast(self.handle, Float::dtype::<B>()))
    }

    /// Converts to int: 1 where true, 0 elsewhere. PyTorch: `x.long()`.
    pub fn try_int(self) -> Result<DynTensor<B, Int>, TensorError> {
        Ok(cast(self.handle, Int::dtype::<B>()))
    }
}
