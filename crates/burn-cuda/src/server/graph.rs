//! Graphs of launches, recorded by the driver's stream capture.
//!
//! A thread that records has a stream of its own, which the driver captures; the work of other threads goes
//! to the stream of the server meanwhile, and so do allocations. A graph refers to addresses, so it keeps all
//! memory that its launches use.

use crate::CudaError;
use crate::driver::check;
use crate::server::DeviceMemory;
use cubecl::stream_id::StreamId;
use cubecl_runtime::memory_management::ManagedMemoryBinding;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Graph that a thread records.
pub struct Recording {
    pub thread: StreamId,
    pub stream: CUstream,
    /// Number of errors that the thread had before.
    pub errors: usize,
    /// Whether the last launch was one of a kernel.
    pub ends_with_kernel: bool,
    /// Memory that its launches use.
    used: Vec<DeviceMemory>,
    keeps: Keeps,
}

/// Memory that the launches of a graph refer to.
#[derive(Default)]
struct Keeps {
    /// The places of the tensors that the graph updates.
    state: Vec<DeviceMemory>,
    memory: Vec<ManagedMemoryBinding>,
    host: Vec<HostBytes>,
}

/// Bytes of pinned memory that a graph copies to the device.
struct HostBytes(*mut c_void);

impl Drop for HostBytes {
    fn drop(&mut self) {
        // SAFETY: the memory is of `cuMemHostAlloc`, and the graph that reads it is gone.
        let _ = unsafe { result::free_host(self.0) };
    }
}

impl Recording {
    /// Begins to capture a new stream.
    pub fn start(thread: StreamId, errors: usize, state: Vec<DeviceMemory>) -> Result<Self, CudaError> {
        let stream =
            check("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?;
        // Other threads, and this one when it allocates, go on as always: nothing of theirs is captured.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is new.
        let started = check("cuStreamBeginCapture", unsafe { result::stream::begin_capture(stream, mode) });
        let keeps = Keeps { state, ..Keeps::default() };
        let recording =
            Recording { thread, stream, errors, ends_with_kernel: false, used: Vec::new(), keeps };
        match started {
            Ok(()) => Ok(recording),
            Err(error) => {
                recording.destroy_stream();
                Err(error)
            }
        }
    }

    /// Keeps memory as long as the graph.
    pub fn keep(&mut self, memory: ManagedMemoryBinding) {
        self.keeps.memory.push(memory);
    }

    /// Notes that a launch uses this memory.
    pub fn uses(&mut self, place: DeviceMemory) {
        self.used.push(place);
    }

    /// Returns whether no launch so far uses a part of this memory.
    pub fn is_untouched(&self, place: DeviceMemory) -> bool {
        let overlaps = |other: &DeviceMemory| {
            other.pointer < place.pointer + place.size && place.pointer < other.pointer + other.size
        };
        !self.used.iter().any(overlaps)
    }

    /// Records a copy of `bytes` to the device.
    ///
    /// # Safety
    /// From `to` on, as many bytes of the device are the caller's, in memory that is kept.
    pub unsafe fn upload(&mut self, bytes: &[u8], to: CUdeviceptr) -> Result<(), CudaError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.ends_with_kernel = false;
        // SAFETY: a context is current.
        let host = check("cuMemHostAlloc", unsafe { result::malloc_host(bytes.len(), 0) })?;
        self.keeps.host.push(HostBytes(host));
        // SAFETY: the memory is new and as large as the bytes, and lives as long as the graph.
        let copied = unsafe {
            let pinned = std::slice::from_raw_parts_mut(host.cast::<u8>(), bytes.len());
            pinned.copy_from_slice(bytes);
            result::memcpy_htod_async(to, pinned, self.stream)
        };
        check("cuMemcpyHtoDAsync", copied)
    }

    /// Returns the places of the tensors that the graph updates.
    pub fn state(&self) -> &[DeviceMemory] {
        &self.keeps.state
    }

    /// Ends the capture.
    pub fn finish(self) -> Result<Graph, CudaError> {
        // SAFETY: the stream is captured.
        let captured = check("cuStreamEndCapture", unsafe { result::stream::end_capture(self.stream) });
        self.destroy_stream();
        let captured = captured?;
        if captured.is_null() {
            return Err(CudaError::Driver { call: "cuStreamEndCapture", cause: "no graph".to_string() });
        }
        // SAFETY: the graph is whole, and destroyed once.
        let made = unsafe {
            let made = result::graph::instantiate(captured, sys::CUgraphInstantiate_flags(0));
            let _ = result::graph::destroy(captured);
            made
        };
        let executable = check("cuGraphInstantiate", made)?;
        Ok(Graph { executable, keeps: self.keeps, has_copied: AtomicBool::new(false) })
    }

    fn destroy_stream(&self) {
        // SAFETY: the stream was created by `start`, and nothing refers to it any more.
        let _ = unsafe { result::stream::destroy(self.stream) };
    }
}

/// A graph that can be launched.
pub struct Graph {
    executable: sys::CUgraphExec,
    keeps: Keeps,
    has_copied: AtomicBool,
}

// SAFETY: the pointers are of the driver's, which any thread may use; one thread at a time has the graph.
unsafe impl Send for Graph {}
// SAFETY: its methods only pass the pointers to the driver, which is thread-safe.
unsafe impl Sync for Graph {}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("buffers", &self.keeps.memory.len()).finish_non_exhaustive()
    }
}

impl Graph {
    /// Returns the places that the graph updates, and those of `state`, of tensors that are elsewhere.
    pub fn moved(&self, state: &[DeviceMemory]) -> Vec<(DeviceMemory, DeviceMemory)> {
        let pairs = self.keeps.state.iter().copied().zip(state.iter().copied());
        let moved: Vec<_> = pairs.filter(|(own, given)| own.pointer != given.pointer).collect();
        self.has_copied.fetch_or(!moved.is_empty(), Ordering::Relaxed);
        moved
    }

    /// Returns whether tensors of any launch so far were elsewhere.
    pub fn has_copied(&self) -> bool {
        self.has_copied.load(Ordering::Relaxed)
    }

    /// Puts the launches into `stream`.
    pub fn launch(&self, stream: CUstream) -> Result<(), CudaError> {
        // SAFETY: the graph is whole, and all that it refers to is kept.
        check("cuGraphLaunch", unsafe { result::graph::launch(self.executable, stream) })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: there is no other owner. The driver destroys it when its last launch is over.
        let _ = unsafe { result::graph::exec_destroy(self.executable) };
    }
}

/// Copies a buffer on the device.
pub fn copy(from: DeviceMemory, to: DeviceMemory, stream: CUstream) -> Result<(), CudaError> {
    let bytes = from.size.min(to.size) as usize;
    // SAFETY: both buffers have so many bytes.
    let copied = unsafe { result::memcpy_dtod_async(to.pointer, from.pointer, bytes, stream) };
    check("cuMemcpyDtoDAsync", copied)
}
