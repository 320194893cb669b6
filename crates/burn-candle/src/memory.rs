//! Copies of buffers of candle, whose memory is asked for.

use crate::CandleDevice;
use crate::dtype;
use crate::library::Core;
use burn_backend::{DType, TensorSpec};
use burn_library_backend::Kernels;
use candle_core::{Result, Tensor};

/// The elements of `x` in order. A copy may be larger than every operand and result, as that of a view that
/// repeats a number, so its memory is asked for too.
///
/// Where there is none, this ends the call.
#[track_caller]
pub fn in_order(x: &Tensor) -> Result<Tensor> {
    if x.is_contiguous() {
        return Ok(x.clone());
    }
    let dtype = dtype::own(x.dtype()).unwrap_or(DType::F64);
    let _memory = Core::take(&TensorSpec::new(x.dims(), dtype), CandleDevice::of(x.device()));
    x.contiguous()
}
