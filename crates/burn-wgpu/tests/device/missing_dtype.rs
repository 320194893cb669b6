//! Element types that a device may lack.

use burn_backend::{Backend, DType};
use burn_tensor::Tensor;
use burn_wgpu::{Wgpu, WgpuDevice};

/// Returns whether the default device lacks `dtype`.
///
/// # Panics
/// When it does, and a tensor of it is no error that says so.
pub fn is_refused(dtype: DType) -> bool {
    let device = WgpuDevice::default();
    if <Wgpu>::has_dtype(&device, dtype) {
        return false;
    }
    let error = Tensor::<Wgpu, 1>::try_zeros([2], (&device, dtype)).unwrap_err();
    let expected = format!("tensors of {dtype} are not supported on this device");
    assert!(error.to_string().contains(&expected), "{error}");
    true
}
