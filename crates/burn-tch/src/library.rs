use crate::dtype;
use crate::error_text::error_text;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, TchError};
use burn_backend::{DType, TensorSpec};
use burn_library_backend::{Library, Memory};
use tch::{Device, Tensor};

/// LibTorch, through `tch`.
#[derive(Clone, Copy)]
pub struct Torch;

impl Library for Torch {
    const KERNELS: &'static str = "torch";
    const CRATE: &'static str = "burn-tch";
    const HOST: LibTorchDevice = LibTorchDevice::Cpu;

    type Device = LibTorchDevice;
    type InnerDevice = Device;
    type Inner = Tensor;
    type Tensor = TchTensor;
    type Error = tch::TchError;

    #[inline]
    fn width(dtype: DType) -> usize {
        dtype::stored(dtype).elt_size_in_bytes()
    }

    /// Apple's GPUs compute no `f64`.
    fn has_dtype(device: LibTorchDevice, dtype: DType) -> bool {
        device != LibTorchDevice::Mps || dtype::stored(dtype) != tch::Kind::Double
    }

    fn cause(error: &tch::TchError) -> String {
        error_text(error)
    }

    fn is_out_of_memory(cause: &str) -> bool {
        let parts =
            ["out of memory", "can't allocate memory", "not enough memory", "bad_alloc", "bad allocation"];
        parts.iter().any(|part| cause.contains(part))
    }

    fn open(device: LibTorchDevice) -> Result<Device, TchError> {
        device.to_tch()
    }

    fn inner_device(x: &Tensor) -> Device {
        x.device()
    }

    fn share(x: &Tensor) -> Tensor {
        x.shallow_clone()
    }

    fn to_host(x: &Tensor) -> Result<Tensor, tch::TchError> {
        copy_to(x, Device::Cpu)
    }

    fn move_to(x: Tensor, &device: &Device) -> Result<Tensor, tch::TchError> {
        if device == Device::Cpu { Ok(x) } else { copy_to(&x, device) }
    }

    fn inner(x: &TchTensor) -> &Tensor {
        x.tch()
    }

    fn device(x: &TchTensor) -> LibTorchDevice {
        x.device()
    }

    #[inline]
    fn tensor(spec: TensorSpec, inner: Tensor, device: LibTorchDevice, memory: Memory) -> TchTensor {
        TchTensor::new(spec, inner, device, memory)
    }
}

/// A copy on another device.
pub fn copy_to(x: &Tensor, device: Device) -> Result<Tensor, tch::TchError> {
    x.f_to_device_(device, x.f_kind()?, false, false)
}
