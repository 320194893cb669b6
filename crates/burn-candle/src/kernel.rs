//! Views, and kernels in place.

use crate::library::Core;
use crate::tensor::CandleTensor;
use burn_backend::{HasSpec, TensorSpec, kernels};
use burn_library_backend::Kernels;
use candle_core::{Result, Tensor};

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
        // An empty view may start after the end of its buffer, where candle's kernels panic.
        0 => Tensor::zeros(tensor.dims(), tensor.dtype(), tensor.device()),
        _ => Ok(tensor),
    });
    match seen {
        Ok(tensor) => x.viewed(spec, tensor),
        Err(error) => Core::raise(op, Some(spec), device, &error),
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
        Err(error) => Core::raise(op, Some(spec), device, &error),
    }
}
