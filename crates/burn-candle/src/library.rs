use crate::dtype;
use crate::error_text::error_text;
use crate::tensor::CandleTensor;
use crate::{CandleDevice, CandleError};
use burn_backend::{DType, TensorSpec};
use burn_library_backend::{Library, Memory};
use candle_core::{Device, Result, Tensor};

/// Candle, through `candle-core`.
#[derive(Clone, Copy)]
pub struct Core;

impl Library for Core {
    const KERNELS: &'static str = "candle";
    const CRATE: &'static str = "burn-candle";
    const HOST: CandleDevice = CandleDevice::Cpu;

    type Device = CandleDevice;
    type InnerDevice = Device;
    type Inner = Tensor;
    type Tensor = CandleTensor;
    type Error = candle_core::Error;

    fn width(dtype: DType) -> usize {
        dtype::stored(dtype).size_in_bytes()
    }

    /// Apple's GPUs compute no `f64`, and candle's kernels for NVIDIA's no `i16` and `i32`.
    fn has_dtype(device: CandleDevice, dtype: DType) -> bool {
        use candle_core::DType::{F64, I16, I32};
        !matches!(
            (device, dtype::stored(dtype)),
            (CandleDevice::Metal(_), F64) | (CandleDevice::Cuda(_), I16 | I32)
        )
    }

    fn cause(error: &candle_core::Error) -> String {
        error_text(error)
    }

    fn is_out_of_memory(cause: &str) -> bool {
        cause.contains("out of memory") || cause.contains("out_of_memory")
    }

    fn open(device: CandleDevice) -> std::result::Result<Device, CandleError> {
        device.to_candle()
    }

    fn inner_device(x: &Tensor) -> Device {
        x.device().clone()
    }

    fn share(x: &Tensor) -> Tensor {
        x.clone()
    }

    fn to_host(x: &Tensor) -> Result<Tensor> {
        x.to_device(&Device::Cpu)
    }

    fn move_to(x: Tensor, device: &Device) -> Result<Tensor> {
        x.to_device(device)
    }

    /// Candle launches its kernels with no thread for an empty tensor, which is an error of the driver.
    fn empty(spec: &TensorSpec, device: CandleDevice) -> Option<Result<Tensor>> {
        let make = |device: &Device| {
            Tensor::zeros(&spec.shape[..], dtype::stored(spec.dtype), &Device::Cpu)?.to_device(device)
        };
        match device {
            CandleDevice::Cuda(_) => Some(make(&device.to_candle().ok()?)),
            CandleDevice::Cpu | CandleDevice::Metal(_) => None,
        }
    }

    fn inner(x: &CandleTensor) -> &Tensor {
        x.candle()
    }

    fn device(x: &CandleTensor) -> CandleDevice {
        x.device()
    }

    #[inline]
    fn tensor(spec: TensorSpec, inner: Tensor, device: CandleDevice, memory: Memory) -> CandleTensor {
        CandleTensor::new(spec, inner, device, memory)
    }
}
