//! How kernels are run: the memory of the result is taken, the kernel is told to who measures, and errors end
//! the call.

use crate::LibTorchDevice;
use crate::error::{raise, refuse};
use crate::memory::Memory;
use crate::tensor::TchTensor;
use burn_backend::{HasSpec, TensorSpec, kernels};
use tch::{Device, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Runs a kernel of LibTorch.
#[track_caller]
pub fn torch(
    op: &'static str,
    device: LibTorchDevice,
    spec: TensorSpec,
    kernel: impl FnOnce() -> Result<Tensor>,
) -> TchTensor {
    kernels::ran(|| format!("torch {op}"));
    finish(op, device, spec, kernel)
}

/// Runs a kernel of LibTorch with two results.
#[track_caller]
pub fn torch_two(
    op: &'static str,
    device: LibTorchDevice,
    specs: [TensorSpec; 2],
    kernel: impl FnOnce() -> Result<(Tensor, Tensor)>,
) -> (TchTensor, TchTensor) {
    kernels::ran(|| format!("torch {op}"));
    let [first, second] = specs;
    let memories = [&first, &second].map(|spec| Memory::take(spec, device == LibTorchDevice::Cpu));
    match kernel() {
        Ok((x, y)) => {
            let [memory, other] = memories;
            (TchTensor::new(first, x, device, memory), TchTensor::new(second, y, device, other))
        }
        Err(error) => raise(op, Some(first), device, &error),
    }
}

/// Runs a kernel of this crate, which works on tensors on the host. Operands of another device are copied
/// there, and the result back.
#[track_caller]
pub fn own<const N: usize>(
    op: &'static str,
    xs: [&TchTensor; N],
    spec: TensorSpec,
    kernel: impl FnOnce([Tensor; N]) -> Result<Tensor>,
) -> TchTensor {
    let device = xs[0].device();
    kernels::ran(|| format!("burn-tch {op}"));
    if device == LibTorchDevice::Cpu {
        return finish(op, device, spec, || kernel(xs.map(|x| x.tch().shallow_clone())));
    }
    kernels::explain(|| format!("on the host, for {device}"));
    let place = xs[0].tch().device();
    finish(op, device, spec, || {
        let mut failed = None;
        let xs = xs.map(|x| {
            let moved = to_place(x.tch(), Device::Cpu);
            moved.unwrap_or_else(|error| {
                failed = Some(error);
                x.tch().shallow_clone()
            })
        });
        match failed {
            Some(error) => Err(error),
            None => to_place(&kernel(xs)?, place),
        }
    })
}

/// A copy on another device.
pub fn to_place(x: &Tensor, place: Device) -> Result<Tensor> {
    x.f_to_device_(place, x.f_kind()?, false, false)
}

#[track_caller]
fn finish(
    op: &'static str,
    device: LibTorchDevice,
    spec: TensorSpec,
    kernel: impl FnOnce() -> Result<Tensor>,
) -> TchTensor {
    let memory = Memory::take(&spec, device == LibTorchDevice::Cpu);
    match kernel() {
        Ok(tensor) => TchTensor::new(spec, tensor, device, memory),
        Err(error) => raise(op, Some(spec), device, &error),
    }
}

/// Makes a view of a tensor.
#[track_caller]
pub fn view(
    op: &'static str,
    x: TchTensor,
    spec: TensorSpec,
    look: impl FnOnce(&Tensor) -> Result<Tensor>,
) -> TchTensor {
    match look(x.tch()) {
        Ok(tensor) => x.viewed(spec, tensor),
        Err(error) => raise(op, Some(spec), x.device(), &error),
    }
}

/// Runs a kernel of LibTorch that writes over `x`, if nobody else holds its elements.
///
/// # Errors
/// Gives `x` back where somebody does.
#[track_caller]
pub fn in_place<T>(
    op: &'static str,
    mut x: TchTensor,
    run: impl FnOnce(&mut Tensor) -> Result<T>,
) -> std::result::Result<TchTensor, TchTensor> {
    let Some(tensor) = x.unique() else { return Err(x) };
    kernels::ran(|| format!("torch {op}"));
    kernels::explain(|| "in place".into());
    match run(tensor) {
        Ok(_) => Ok(x),
        Err(error) => raise(op, Some(x.spec().clone()), x.device(), &error),
    }
}

/// Runs a kernel of this crate that writes over `x` on the host, if nobody else holds its elements.
///
/// # Errors
/// Gives `x` back where somebody does, or it is elsewhere.
#[track_caller]
pub fn own_in_place(
    op: &'static str,
    mut x: TchTensor,
    run: impl FnOnce(&mut Tensor) -> Result<()>,
) -> std::result::Result<TchTensor, TchTensor> {
    if x.device() != LibTorchDevice::Cpu {
        return Err(x);
    }
    let Some(tensor) = x.unique() else { return Err(x) };
    kernels::ran(|| format!("burn-tch {op}"));
    kernels::explain(|| "in place".into());
    match run(tensor) {
        Ok(()) => Ok(x),
        Err(error) => raise(op, Some(x.spec().clone()), x.device(), &error),
    }
}

/// Makes a tensor on a device, which is checked to be there.
#[track_caller]
pub fn create(
    op: &'static str,
    device: LibTorchDevice,
    spec: TensorSpec,
    kernel: impl FnOnce(Device) -> Result<Tensor>,
) -> TchTensor {
    let place = device.to_tch().unwrap_or_else(|error| refuse(op, error));
    if !has_dtype(device, spec.dtype) {
        let dtype = spec.dtype.to_string();
        refuse(op, crate::TchError::DType { device, dtype });
    }
    finish(op, device, spec, || kernel(place))
}

/// Whether LibTorch has tensors of `dtype` on this device: Apple's GPUs compute no `f64`.
pub fn has_dtype(device: LibTorchDevice, dtype: burn_backend::DType) -> bool {
    device != LibTorchDevice::Mps || crate::dtype::stored(dtype) != tch::Kind::Double
}
