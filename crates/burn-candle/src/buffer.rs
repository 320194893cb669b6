//! Buffers of candle's tensors on the host.

use candle_core::{CpuStorage, Error, Layout, Result, Storage, Tensor, WithDType};

/// Calls `f` with the buffer of a tensor on the host and its layout.
pub fn with_buffer<S: WithDType, R>(x: &Tensor, f: impl FnOnce(&[S], &Layout) -> R) -> Result<R> {
    let (storage, layout) = x.storage_and_layout();
    let buffer: &CpuStorage = match &*storage {
        Storage::Cpu(buffer) => buffer,
        Storage::Cuda(_) | Storage::Metal(_) => {
            return Err(Error::Msg("the tensor is not on the host".into()));
        }
    };
    Ok(f(buffer.as_slice::<S>()?, layout))
}

/// Address of the first element.
pub fn address(x: &Tensor) -> Option<usize> {
    fn start<S: WithDType>(x: &Tensor) -> Option<usize> {
        let start = |all: &[S], layout: &Layout| all.as_ptr().wrapping_add(layout.start_offset()) as usize;
        with_buffer::<S, _>(x, start).ok()
    }
    start::<f32>(x)
        .or_else(|| start::<f64>(x))
        .or_else(|| start::<half::f16>(x))
        .or_else(|| start::<half::bf16>(x))
        .or_else(|| start::<i64>(x))
        .or_else(|| start::<i32>(x))
        .or_else(|| start::<i16>(x))
        .or_else(|| start::<u32>(x))
        .or_else(|| start::<u8>(x))
}
