//! Copies of buffers of LibTorch, whose memory is asked for.

use crate::LibTorchDevice;
use crate::dtype;
use crate::library::Torch;
use crate::sizes::sizes;
use burn_backend::{DType, TensorSpec};
use burn_library_backend::{Kernels, Memory};
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// The elements of `x` in order. A copy may be larger than every operand and result, as that of a view that
/// repeats a number, so its memory is asked for too.
///
/// Where there is none, this ends the call.
#[track_caller]
pub fn in_order(x: &Tensor) -> Result<Tensor> {
    if x.is_contiguous() {
        return Ok(x.shallow_clone());
    }
    drop(workspace(x));
    x.f_contiguous()
}

/// A copy of `x` in order, in a buffer of its own.
#[track_caller]
pub fn copied(x: &Tensor) -> Result<Tensor> {
    let mut copy = Tensor::f_empty(sizes(&dims(x)), (x.f_kind()?, x.device()))?;
    copy.f_copy_(x)?;
    Ok(copy)
}

/// Asks for the memory of a copy of `x`.
///
/// Where there is none, this ends the call.
#[track_caller]
pub fn workspace(x: &Tensor) -> Memory {
    let dtype = x.f_kind().ok().and_then(dtype::own).unwrap_or(DType::F64);
    Torch::take(&TensorSpec::new(dims(x), dtype), LibTorchDevice::of(x.device()))
}

fn dims(x: &Tensor) -> Vec<usize> {
    x.size().into_iter().map(|size| size as usize).collect()
}
