use crate::error::{Outcome, fail};
use crate::tape::read_value;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, Creation};
use burn_ir::TensorData;
use burn_tensor::ops::try_in_operation;

/// Host data as a tensor; rank 0 becomes rank 1.
pub(crate) fn upload(data: &TensorData, device: &DynamicDevice) -> Outcome<DynamicTensor> {
    if !Dynamic::has_dtype(device, data.dtype) {
        fail!("{}: tensors of {} are not supported on this device", Dynamic::name(device), data.dtype);
    }
    let mut data = data.clone();
    if data.shape.is_empty() {
        data.shape = [1].into();
    }
    Ok(try_in_operation("from_data", || Ok(Dynamic::create(Creation::Data(data), device)))?)
}

/// The elements of a tensor, on which what follows depends.
pub(crate) fn read(handle: &DynamicTensor) -> Outcome<TensorData> {
    match read_value(handle) {
        Ok(Ok(data)) => Ok(data),
        Ok(Err(error)) => fail!("the tensor cannot be read: {error}"),
        Err(_) => fail!("this platform cannot wait for the device"),
    }
}
