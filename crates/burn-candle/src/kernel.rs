//! How kernels are run: the memory of the result is taken, the kernel is told to who measures, and errors end
//! the call.

use crate::error::{raise, refuse};
use crate::memory::Memory;
use crate::tensor::CandleTensor;
use crate::{CandleDevice, dtype};
use burn_backend::{HasSpec, TensorSpec, kernels};
use candle_core::{Device, Result, Tensor};

/// Runs a kernel of candle.
#[track_caller]
pub fn candle(
    op: &'static str,
    device: CandleDevice,
    spec: TensorSpec,
    kernel: impl FnOnce() -> Result<Tensor>,
) -> CandleTensor {
    kernels::ran(|| format!("candle {op}"));
    finish(op, device, spec, kernel)
}

/// Runs a kernel of this crate, which works on tensors on the host. Operands of another device are copied
/// there, and the result back.
#[track_caller]
pub fn own<const N: usize>(
    op: &'static str,
    xs: [&CandleTensor; N],
    spec: TensorSpec,
    kernel: impl FnOnce([Tensor; N]) -> Result<Tensor>,
) -> CandleTensor {
    let device = xs[0].device();
    kernels::ran(|| format!("burn-candle {op}"));
    if device == CandleDevice::Cpu {
        return finish(op, device, spec, || kernel(xs.map(|x| x.candle().clone())));
    }
    kernels::explain(|| format!("on the host, for {device}"));
    let place = xs[0].candle().device();
    finish(op, device, spec, || {
        let mut failed = None;
        let xs = xs.map(|x| {
            let moved = x.candle().to_device(&Device::Cpu);
            moved.unwrap_or_else(|error| {
                failed = Some(error);
                x.candle().clone()
            })
        });
        match failed {
            Some(error) => Err(error),
            None => kernel(xs)?.to_device(place),
        }
    })
}

#[track_caller]
fn finish(
    op: &'static str,
    device: CandleDevice,
    spec: TensorSpec,
    kernel: impl FnOnce() -> Result<Tensor>,
) -> CandleTensor {
    let memory = Memory::take(&spec, device == CandleDevice::Cpu);
    match kernel() {
        Ok(tensor) => CandleTensor::new(spec, tensor, memory),
        Err(error) => raise(op, Some(spec), device, &error),
    }
}

/// Makes a view of a tensor, or a copy where its layout does not allow one.
#[track_caller]
pub fn view(
    op: &'static str,
    x: CandleTensor,
    spec: TensorSpec,
    look: impl FnOnce(&Tensor) -> Result<Tensor>,
) -> CandleTensor {
    let device = x.device();
    let seen = look(x.candle()).and_then(|tensor| match tensor.elem_count() {
        // An empty view may start behind the end of its buffer, where candle's kernels panic.
        0 => Tensor::zeros(tensor.dims(), tensor.dtype(), tensor.device()),
        _ => Ok(tensor),
    });
    match seen {
        Ok(tensor) => x.viewed(spec, tensor),
        Err(error) => raise(op, Some(spec), device, &error),
    }
}

/// Runs a custom operation of candle that writes over `x`, whose only holder is the caller.
#[track_caller]
pub fn in_place(op: &'static str, x: CandleTensor, run: impl FnOnce(&Tensor) -> Result<()>) -> CandleTensor {
    kernels::ran(|| format!("burn-candle {op}"));
    kernels::explain(|| "in place".into());
    let (spec, device) = (x.spec().clone(), x.device());
    match run(x.candle()) {
        Ok(()) => x,
        Err(error) => raise(op, Some(spec), device, &error),
    }
}

/// Makes a tensor on a device, which is opened.
#[track_caller]
pub fn create(
    op: &'static str,
    device: CandleDevice,
    spec: TensorSpec,
    kernel: impl FnOnce(&Device) -> Result<Tensor>,
) -> CandleTensor {
    let place = device.to_candle().unwrap_or_else(|error| refuse(op, error));
    if !has_dtype(device, spec.dtype) {
        let dtype = spec.dtype.to_string();
        refuse(op, crate::CandleError::DType { device, dtype });
    }
    finish(op, device, spec, || kernel(&place))
}

/// Whether candle has tensors of `dtype` on this device: Apple's GPUs compute no `f64`.
pub fn has_dtype(device: CandleDevice, dtype: burn_backend::DType) -> bool {
    !matches!((device, dtype::stored(dtype)), (CandleDevice::Metal(_), candle_core::DType::F64))
}

/// The spec of `x` with another element type.
pub fn with_dtype(x: &CandleTensor, dtype: burn_backend::DType) -> TensorSpec {
    TensorSpec { shape: x.shape(), dtype }
}
