//! The way between host and device: through pinned memory, so that the device copies while the host goes on.

use crate::CudaError;
use crate::driver::{Context, Event, check};
use cubecl::bytes::Bytes;
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Bytes of one block of pinned memory.
const BLOCK: usize = 4 << 20;
/// Blocks that are kept: 64 MiB. Reads of more go the driver's own way, writes wait for the oldest block.
const BLOCKS: usize = 16;
/// The driver takes so much along in the stream itself.
const INLINE: usize = 64 << 10;

/// Pinned memory of the host.
#[derive(Debug)]
struct Block(*mut u8);

// SAFETY: the memory belongs to the block alone.
unsafe impl Send for Block {}

#[derive(Debug, Default)]
struct Blocks {
    free: Vec<Block>,
    /// Until the device is done with them, the oldest first.
    busy: VecDeque<(Arc<Event>, Block)>,
    count: usize,
}

impl Blocks {
    fn take(&mut self) -> Result<Block, CudaError> {
        while self.busy.front().is_some_and(|(event, _)| event.is_done()) {
            self.free.extend(self.busy.pop_front().map(|(_, block)| block));
        }
        if let Some(block) = self.free.pop() {
            return Ok(block);
        }
        if self.count >= BLOCKS
            && let Some((event, block)) = self.busy.pop_front()
        {
            event.wait()?;
            return Ok(block);
        }
        // SAFETY: a context is current; the memory is freed with the process.
        let memory = check("cuMemHostAlloc", unsafe { result::malloc_host(BLOCK, 0) })?;
        self.count += 1;
        Ok(Block(memory.cast()))
    }
}

/// The pinned blocks of a device.
#[derive(Clone, Debug)]
pub struct Staging {
    blocks: Arc<Mutex<Blocks>>,
    context: Context,
    stream: CUstream,
}

// SAFETY: streams of the driver may be used from any thread.
unsafe impl Send for Staging {}

impl Staging {
    pub fn new(context: Context, stream: CUstream) -> Self {
        Staging { blocks: Arc::default(), context, stream }
    }

    fn blocks(&self) -> std::sync::MutexGuard<'_, Blocks> {
        self.blocks.lock().expect("nobody panics while it is held")
    }

    /// Writes `bytes` to the device, in the order of the stream. The slice is free when this returns.
    ///
    /// # Safety
    /// From `to` on, as many bytes of the device are the caller's.
    pub unsafe fn upload(&self, bytes: &[u8], to: CUdeviceptr) -> Result<(), CudaError> {
        if bytes.len() <= INLINE {
            // SAFETY: memory that is not pinned is copied before the call returns.
            return check("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, bytes, self.stream) });
        }
        for (at, chunk) in bytes.chunks(BLOCK).enumerate() {
            let block = self.blocks().take()?;
            // SAFETY: a block has room for a chunk, and no other copy uses it until the event that is put
            // beside it.
            let copied = unsafe {
                let pinned = std::slice::from_raw_parts_mut(block.0, chunk.len());
                pinned.copy_from_slice(chunk);
                result::memcpy_htod_async(to + (at * BLOCK) as CUdeviceptr, pinned, self.stream)
            };
            let event = Event::record(self.context, self.stream)?;
            self.blocks().busy.push_back((event, block));
            check("cuMemcpyHtoDAsync", copied)?;
        }
        Ok(())
    }

    /// Begins to read `size` bytes; [`Download::finish`] waits for them.
    ///
    /// # Safety
    /// From `from` on, as many bytes of the device are initialised once the stream gets there.
    pub unsafe fn download(&self, from: CUdeviceptr, size: usize) -> Result<Download, CudaError> {
        if size > BLOCK * BLOCKS {
            let mut bytes = vec![0; size];
            // SAFETY: the copy is over when the call returns, since this memory is not pinned.
            let copied = unsafe {
                result::memcpy_dtoh_async(&mut bytes, from, self.stream)
                    .and_then(|()| result::stream::synchronize(self.stream))
            };
            check("cuMemcpyDtoHAsync", copied)?;
            return Ok(Download::Done(bytes));
        }
        let mut chunks = Vec::with_capacity(size.div_ceil(BLOCK));
        for start in (0..size).step_by(BLOCK) {
            let (block, len) = (self.blocks().take()?, BLOCK.min(size - start));
            // SAFETY: a block has room for a chunk, and no other copy uses it until the event below.
            let copied = unsafe {
                let pinned = std::slice::from_raw_parts_mut(block.0, len);
                result::memcpy_dtoh_async(pinned, from + start as CUdeviceptr, self.stream)
            };
            chunks.push((block, len));
            check("cuMemcpyDtoHAsync", copied)?;
        }
        let event = Event::record(self.context, self.stream)?;
        Ok(Download::Staged(Staged { chunks, event, staging: self.clone() }))
    }
}

/// Bytes on their way to the host.
#[derive(Debug)]
pub enum Download {
    Done(Vec<u8>),
    Staged(Staged),
}

#[derive(Debug)]
pub struct Staged {
    chunks: Vec<(Block, usize)>,
    event: Arc<Event>,
    staging: Staging,
}

impl Download {
    pub fn finish(self) -> Result<Bytes, CudaError> {
        let staged = match self {
            Download::Done(bytes) => return Ok(Bytes::from_bytes_vec(bytes)),
            Download::Staged(staged) => staged,
        };
        staged.event.wait()?;
        let mut bytes = Vec::with_capacity(staged.chunks.iter().map(|(_, len)| len).sum());
        for (block, len) in &staged.chunks {
            // SAFETY: the device has written so many bytes, and is done.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(block.0, *len) });
        }
        Ok(Bytes::from_bytes_vec(bytes))
    }
}

impl Drop for Staged {
    /// Gives the blocks back, to be used again once the device is done with them, whether they were read or
    /// not.
    fn drop(&mut self) {
        let event = &self.event;
        let chunks = self.chunks.drain(..).map(|(block, _)| (event.clone(), block));
        if let Ok(mut blocks) = self.staging.blocks.lock() {
            blocks.busy.extend(chunks);
        }
    }
}
