//! The memory of a buffer of LibTorch, as the budget of a call counts it.

use crate::dtype;
use crate::error::{bytes, out_of_memory};
use crate::layout::sizes;
use burn_backend::{DType, TensorSpec, memory, memory_budget};
use std::sync::atomic::{AtomicBool, Ordering};
use tch::{Device, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// One buffer, counted as long as a tensor of ours or a view of it is there.
#[derive(Debug)]
pub struct Memory {
    bytes: usize,
    /// Whether handles of LibTorch that are not ours may see the buffer.
    is_lent: AtomicBool,
}

impl Memory {
    /// Takes the memory of a result. LibTorch asks the host for more than it has without an error, and the
    /// process ends when it is written, so it is compared with what is there.
    ///
    /// Where there is none, this ends the call.
    #[track_caller]
    pub fn take(spec: &TensorSpec, is_host: bool) -> Self {
        let bytes = bytes(spec);
        let Some(size) = bytes.filter(|&size| size <= isize::MAX as usize) else {
            out_of_memory(spec.clone(), bytes)
        };
        let fits = !is_host || memory::is_available(size);
        if !fits || memory_budget::take(size).is_err() {
            out_of_memory(spec.clone(), bytes);
        }
        Memory { bytes: size, is_lent: AtomicBool::new(false) }
    }

    /// The memory of a tensor that comes from LibTorch, which is not counted.
    pub fn foreign() -> Self {
        Memory { bytes: 0, is_lent: AtomicBool::new(true) }
    }

    /// The memory of a view, which its base has.
    pub fn none() -> Self {
        Memory { bytes: 0, is_lent: AtomicBool::new(false) }
    }

    /// Notes that somebody else may hold the buffer from now on.
    pub fn lend(&self) {
        self.is_lent.store(true, Ordering::Release);
    }

    pub fn is_lent(&self) -> bool {
        self.is_lent.load(Ordering::Acquire)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        memory_budget::give_back(self.bytes);
    }
}

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
    Memory::take(&TensorSpec::new(dims(x), dtype), x.device() == Device::Cpu)
}

fn dims(x: &Tensor) -> Vec<usize> {
    x.size().into_iter().map(|size| size as usize).collect()
}
