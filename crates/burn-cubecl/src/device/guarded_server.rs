use crate::device::catch_panic::catch_panic;
use crate::device::error_text::ALLOCATION_FAILED;
use crate::device::failed_buffers::FailedBuffers;
use crate::device::faults::Faults;
use crate::device::memory::{MemoryUsage, OutOfMemory, Room};
use crate::device::process_exit::exit_waits_for_devices;
use crate::launch::erased::has_compiled;
use burn_backend::block_on;
use cubecl::CubeCount;
use cubecl::backtrace::BackTrace;
use cubecl::bytes::Bytes;
use cubecl::device::Device;
use cubecl::device_handle::DeviceHandle;
use cubecl::prelude::{ExecutionMode, Runtime};
use cubecl::server::{ComputeServer, Handle, KernelArguments, ServerError};
use cubecl::stream_id::StreamId;
use std::sync::{Arc, Mutex};

type Kernel<R> = <<R as Runtime>::Server as ComputeServer>::Kernel;

/// Guard around a server that panics where an allocation fails, and would launch kernels with missing
/// buffers. The next read of the thread that asked returns the error.
pub struct Guard<R: Runtime> {
    name: Arc<str>,
    server: DeviceHandle<R::Server>,
    faults: Arc<Faults>,
    failed_buffers: Arc<Mutex<FailedBuffers>>,
    /// Bytes of the largest buffer.
    largest: u64,
}

impl<R: Runtime> Guard<R> {
    pub fn new(name: &str, device: &R::Device, largest: u64, faults: Arc<Faults>) -> Self {
        let (name, server) = (name.into(), DeviceHandle::new(device.to_id()));
        Guard { name, server, faults, failed_buffers: Arc::default(), largest }
    }

    /// A buffer of so many bytes.
    pub fn empty(&self, bytes: usize) -> Handle {
        self.made(bytes, |_, _| {})
    }

    /// A buffer with these bytes.
    pub fn create(&self, bytes: &[u8]) -> Handle {
        let data = Bytes::from_bytes_vec(bytes.to_vec());
        self.made(bytes.len(), move |server, handle| {
            let thread = handle.stream;
            let copy = handle.copy_descriptor([data.len()].into(), [1].into(), 1);
            server.write(vec![(copy, data)], thread);
        })
    }

    fn made(&self, bytes: usize, fill: impl FnOnce(&mut R::Server, Handle) + Send + 'static) -> Handle {
        let handle = Handle::new(StreamId::current(), bytes as u64);
        let (own, name, largest) = (handle.clone(), self.name.clone(), self.largest);
        let (faults, failed_buffers) = (self.faults.clone(), self.failed_buffers.clone());
        self.server.submit(move |server| {
            let size = bytes as u64;
            if size <= largest && has_room(server, &faults, size) {
                let filled = catch_panic(|| {
                    server.initialize_memory(own.memory.clone(), size, own.stream);
                    fill(server, own);
                });
                return filled.unwrap_or_else(|panic| faults.note(panic));
            }
            let MemoryUsage { used, reserved, .. } =
                server.memory_usage(own.stream).map_or_else(|_| MemoryUsage::default(), MemoryUsage::from);
            let room = Room::Largest(largest);
            let full = OutOfMemory { device: name.to_string(), asked: size, used, reserved, room };
            faults.note(full.to_string());
            failed_buffers.lock().expect("nobody panics while it is held").add(own);
        });
        handle
    }

    /// Launches a kernel, if all of its buffers have memory.
    ///
    /// # Safety
    /// As of the server's `launch`.
    pub unsafe fn launch(
        &self,
        kernel: Kernel<R>,
        count: CubeCount,
        arguments: KernelArguments,
        mode: ExecutionMode,
    ) {
        let (thread, faults, failed_buffers) =
            (StreamId::current(), self.faults.clone(), self.failed_buffers.clone());
        self.server.submit(move |server| {
            if faults.is_lost() {
                return;
            }
            let has = |failed_buffers: &Mutex<FailedBuffers>| {
                let mut failed_buffers = failed_buffers.lock().expect("nobody panics while it is held");
                arguments.buffers.iter().any(|buffer| failed_buffers.has(buffer))
            };
            if has(&failed_buffers) {
                return faults.note(ALLOCATION_FAILED);
            }
            // SAFETY: the caller's.
            let launched = catch_panic(|| unsafe { server.launch(kernel, count, arguments, mode, thread) });
            launched.unwrap_or_else(|panic| faults.note(panic));
            if has_compiled() {
                // Threads share the server's errors: the one that asked for the kernel gets it, not the next
                // that flushes.
                if let Err(error) = server.flush(thread) {
                    faults.note_error(&error);
                }
                // The driver loads its compiler when it needs it.
                exit_waits_for_devices();
            }
        });
    }

    /// Whether these buffers can be read.
    ///
    /// # Errors
    /// When there was no room for one.
    pub fn check(&self, handles: &[Handle]) -> Result<(), ServerError> {
        if self.failed_buffers.lock().expect("nobody panics while it is held").is_empty() {
            return Ok(());
        }
        let bindings: Vec<_> = handles.iter().map(|handle| handle.clone().binding()).collect();
        let failed_buffers = self.failed_buffers.clone();
        let found = self.server.submit_blocking(move |_| {
            let mut failed_buffers = failed_buffers.lock().expect("nobody panics while it is held");
            bindings.iter().any(|buffer| failed_buffers.has(buffer))
        });
        if found.unwrap_or(true) {
            return Err(ServerError::Generic {
                reason: ALLOCATION_FAILED.into(),
                backtrace: BackTrace::capture(),
            });
        }
        Ok(())
    }
}

/// Whether there is room for `size` bytes, if need be once what the pools keep for others is given back.
fn has_room<S: ComputeServer>(server: &mut S, faults: &Faults, size: u64) -> bool {
    let thread = StreamId::current();
    // The trial allocation is released again: a failed one would stay in the pool, and a successful one is
    // found there by the real buffer.
    let is_there = |server: &mut S| {
        let mut made = Ok(());
        let room = || {
            made = catch_panic(|| server.initialize_memory(Handle::new(thread, size).memory, size, thread))
        };
        faults.goes_well(room) && made.is_ok()
    };
    if is_there(server) {
        return true;
    }
    // Buffers that work still needs are given back when it is done.
    for _ in 0..2 {
        // In a browser, which cannot wait, only what is free by now is found.
        if let Ok(Err(error)) = block_on(server.sync(thread)) {
            faults.note_error(&error);
        }
        server.memory_cleanup(thread);
        if is_there(server) {
            return true;
        }
    }
    server.memory_cleanup(thread);
    false
}
