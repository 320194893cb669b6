use crate::check::ensure;
use crate::{TensorError, TensorKind};
use burn_backend::{Backend, DType};

/// Options of a new tensor, device and element type: a device, or `(&device, dtype)`.
///
/// ```
/// use burn::tensor::{DType, Tensor, backend::Backend};
/// fn made<B: Backend>(device: &B::Device) -> (Tensor<B, 2>, Tensor<B, 2>) {
///     (Tensor::zeros([2, 3], device), Tensor::zeros([2, 3], (device, DType::F16)))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct TensorOptions<B: Backend> {
    pub device: B::Device,
    /// None is the default of the backend for the kind of the tensor.
    pub dtype: Option<DType>,
}

impl<B: Backend> TensorOptions<B> {
    /// Returns the element type of a new tensor of kind `K`.
    #[track_caller]
    pub(crate) fn dtype<K: TensorKind>(&self, operation: &'static str) -> Result<DType, TensorError> {
        let dtype = self.dtype.unwrap_or_else(K::dtype::<B>);
        ensure!(K::holds(dtype), operation, "tensors of kind {} do not hold {dtype}", K::NAME);
        on_device::<B>(operation, &self.device, dtype)?;
        Ok(dtype)
    }
}

/// Checks that the device supports this dtype.
#[track_caller]
pub(crate) fn on_device<B: Backend>(
    operation: &'static str,
    device: &B::Device,
    dtype: DType,
) -> Result<(), TensorError> {
    ensure!(
        B::has_dtype(device, dtype),
        operation,
        "{}: tensors of {dtype} are not supported on this device",
        B::name(device)
    );
    Ok(())
}

/// Returns the default dtype of indices: the widest that the device supports.
pub(crate) fn index_type<B: Backend>(device: &B::Device) -> DType {
    if B::has_dtype(device, DType::I64) { DType::I64 } else { DType::I32 }
}

impl<B: Backend> Default for TensorOptions<B> {
    /// Returns the default device, and the default element type of the kind.
    fn default() -> Self {
        TensorOptions { device: B::Device::default(), dtype: None }
    }
}

impl<B: Backend> From<&B::Device> for TensorOptions<B> {
    fn from(device: &B::Device) -> Self {
        TensorOptions { device: device.clone(), dtype: None }
    }
}

impl<B: Backend> From<(&B::Device, DType)> for TensorOptions<B> {
    fn from((device, dtype): (&B::Device, DType)) -> Self {
        TensorOptions { device: device.clone(), dtype: Some(dtype) }
    }
}
