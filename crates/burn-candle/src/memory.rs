//! The memory of a buffer of candle, as the budget of a call counts it.

use crate::dtype;
use crate::error::{bytes, out_of_memory};
use burn_backend::{DType, TensorSpec, memory, memory_budget};
use candle_core::{Result, Tensor};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One buffer, counted as long as a tensor of ours holds it. Views share it.
#[derive(Debug)]
pub struct Memory {
    bytes: usize,
    /// Whether handles of candle that are not ours may see the buffer.
    is_lent: AtomicBool,
}

impl Memory {
    /// Takes the memory of a result. Candle ends the process where the host has none, so it is asked for
    /// here.
    ///
    /// Where there is none, this ends the call.
    #[track_caller]
    pub fn take(spec: &TensorSpec, is_host: bool) -> Arc<Self> {
        let bytes = bytes(spec);
        let Some(size) = bytes.filter(|&size| size <= isize::MAX as usize) else {
            out_of_memory(spec.clone(), bytes)
        };
        let fits = !is_host || memory::is_available(size);
        if !fits || memory_budget::take(size).is_err() {
            out_of_memory(spec.clone(), bytes);
        }
        Arc::new(Memory { bytes: size, is_lent: AtomicBool::new(false) })
    }

    /// The memory of a tensor that comes from candle, which is not counted.
    pub fn foreign() -> Arc<Self> {
        Arc::new(Memory { bytes: 0, is_lent: AtomicBool::new(true) })
    }

    /// Notes that somebody else may hold the buffer from now on.
    pub fn lend(&self) {
        self.is_lent.store(true, Ordering::Release);
    }

    /// Whether this is the only handle of the buffer, which may be written then.
    pub fn is_unique(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1 && !self.is_lent.load(Ordering::Acquire)
    }
}

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
    let _memory = Memory::take(&TensorSpec::new(x.dims(), dtype), x.device().is_cpu());
    x.contiguous()
}

impl Drop for Memory {
    fn drop(&mut self) {
        memory_budget::give_back(self.bytes);
    }
}
