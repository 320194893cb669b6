//! Kernels with two results, in place, and views.

use crate::LibTorchDevice;
use crate::library::Torch;
use crate::tensor::TchTensor;
use burn_backend::{HasSpec, TensorSpec, kernels};
use burn_library_backend::Kernels;
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Runs a kernel of LibTorch with two results.
#[track_caller]
pub fn two(
    op: &'static str,
    device: LibTorchDevice,
    specs: [TensorSpec; 2],
    kernel: impl FnOnce() -> Result<(Tensor, Tensor)>,
) -> (TchTensor, TchTensor) {
    kernels::ran(|| format!("torch {op}"));
    let [first, second] = specs;
    let memories = [&first, &second].map(|spec| Torch::take(spec, device));
    match kernel() {
        Ok((x, y)) => {
            let [memory, other] = memories;
            (TchTensor::new(first, x, device, memory), TchTensor::new(second, y, device, other))
        }
        Err(error) => Torch::raise(op, Some(first), device, &error),
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
        Err(error) => Torch::raise(op, Some(spec), x.device(), &error),
    }
}

/// Runs a kernel of LibTorch that writes over `x`, if nothing else holds its elements.
///
/// # Errors
/// Gives `x` back where another tensor does.
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
        Err(error) => Torch::raise(op, Some(x.spec().clone()), x.device(), &error),
    }
}

/// Runs a kernel of this crate that writes over `x` on the host, if nothing else holds its elements.
///
/// # Errors
/// Gives `x` back where another tensor does, or it is elsewhere.
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
        Err(error) => Torch::raise(op, Some(x.spec().clone()), x.device(), &error),
    }
}
