use crate::server::{ALIGNMENT, CudaCompiler, CudaInfo, CudaServer, Graph};
use crate::{CudaDevice, CudaError};
use cubecl::bytes::Bytes;
use cubecl::device::{Device, DeviceId};
use cubecl::device_handle::DeviceHandle;
use cubecl::ir::{ContiguousElements, MatrixLayout, MmaProperties, TargetProperties};
use cubecl::prelude::{ComputeClient, Runtime};
use cubecl::server::{Binding, ComputeServer, Handle, MemoryLayoutDescriptor, MemoryLayoutPolicy};
use cubecl::stream_id::StreamId;
use cubecl::zspace::{Shape, Strides};
use cubecl_cpp::cuda::mma::contiguous_elements_cuda;
use cubecl_runtime::allocator::ContiguousMemoryLayoutPolicy;
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use std::sync::Arc;

/// CUDA, as a runtime of kernels that are written with `#[cube]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaRuntime;

impl Runtime for CudaRuntime {
    type Compiler = CudaCompiler;
    type Server = CudaServer;
    type Device = CudaDevice;

    fn client(device: &CudaDevice) -> ComputeClient<Self> {
        ComputeClient::load(device)
    }

    fn name(_client: &ComputeClient<Self>) -> &'static str {
        "cuda"
    }

    fn require_array_lengths() -> bool {
        true
    }

    fn max_cube_count() -> (u32, u32, u32) {
        (i32::MAX as u32, u16::MAX.into(), u16::MAX.into())
    }

    fn can_read_tensor(shape: &Shape, strides: &Strides) -> bool {
        let mut step = 1;
        shape.iter().zip(strides.iter()).rev().all(|(&size, &stride)| {
            let fits = size == 1 || stride == step;
            step *= size;
            fits
        })
    }

    /// Registers and fragments of the matrix instructions of warps.
    fn target_properties() -> TargetProperties {
        let mma = MmaProperties {
            register_size_bits: 32,
            const_plane_size: 32,
            register_layout_a: MatrixLayout::RowMajor,
            register_layout_b: MatrixLayout::ColMajor,
            register_layout_acc: MatrixLayout::RowMajor,
            register_duplication_a: 1,
            register_duplication_b: 1,
            register_duplication_acc: 1,
            contiguous_elements: ContiguousElements::new(contiguous_elements_cuda),
        };
        TargetProperties { mma }
    }

    fn enumerate_devices(_kind: u16, _info: &CudaInfo) -> Vec<DeviceId> {
        let count = cudarc::driver::result::device::get_count().unwrap_or(0).max(0) as usize;
        (0..count).map(|index| CudaDevice { index }.to_id()).collect()
    }
}

/// The stream of a device, for calls of libraries.
///
/// Calls are put into the stream by the thread that launches the kernels, in the order in which each thread
/// asks for launches and calls.
#[derive(Clone)]
pub struct Queue {
    server: DeviceHandle<CudaServer>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("device", &self.server.device_id()).finish()
    }
}

impl Queue {
    pub fn new(device: CudaDevice) -> Self {
        Queue { server: DeviceHandle::new(device.to_id()) }
    }

    /// Creates a buffer with these bytes. The call returns once they are in pinned memory, so the caller need
    /// not keep a copy: faster from some hundred KiB on.
    pub fn create(&self, bytes: &[u8]) -> Handle {
        let descriptor = MemoryLayoutDescriptor::contiguous([bytes.len()].into(), 1);
        let policy = ContiguousMemoryLayoutPolicy::new(ALIGNMENT as usize);
        let (whole, mut parts) = policy.apply(StreamId::current(), &[descriptor]);
        let handle = parts.remove(0).memory;
        let to = handle.clone().copy_descriptor([bytes.len()].into(), [1].into(), 1);
        let (size, memory) = (whole.size(), whole.memory);
        let created = self.server.submit_blocking(move |server| server.create(memory, size, &to, bytes));
        created.unwrap_or_else(|_| panic!("the thread of device {} is gone", self.server.device_id()));
        handle
    }

    /// Runs `task` on the thread of the device, after all that this thread asked for before, and waits for
    /// its result.
    pub(crate) fn wait<T: Send>(&self, task: impl FnOnce(&mut CudaServer) -> T + Send) -> T {
        let done = self.server.submit_blocking(task);
        done.unwrap_or_else(|_| panic!("the thread of device {} is gone", self.server.device_id()))
    }

    /// Writes bytes to a buffer of as many, after all that this thread asked for before.
    pub(crate) fn write(&self, buffer: Handle, bytes: Vec<u8>) {
        let (thread, count) = (StreamId::current(), bytes.len());
        let to = buffer.copy_descriptor([count].into(), [1].into(), 1);
        self.server.submit(move |server| server.write(vec![(to, Bytes::from_bytes_vec(bytes))], thread));
    }

    /// Launches a graph on the tensors that it updates.
    pub(crate) fn launch(&self, graph: Arc<Graph>, state: Vec<Binding>) {
        self.server.submit(move |server| server.launch_graph(&graph, &state));
    }

    /// Drops what the thread of the device may still use.
    pub(crate) fn release<T: Send + 'static>(&self, value: T) {
        self.server.submit(move |_| drop(value));
    }

    /// A buffer of so many bytes, with fewer allocations on the host than a client's.
    pub(crate) fn empty(&self, bytes: usize) -> Handle {
        let thread = StreamId::current();
        let handle = Handle::new(thread, bytes as u64);
        let memory = handle.memory.clone();
        self.server.submit(move |server| server.initialize_memory(memory, bytes as u64, thread));
        handle
    }

    /// Runs `task` with the stream and the addresses of `buffers`, after all that this thread asked for
    /// before. Nothing is waited for; the next read on this thread returns an error of it.
    ///
    /// The task must put all its work into the stream, and leave the device as it is: no other context, no
    /// capture.
    pub fn on_stream<T>(&self, buffers: Vec<Binding>, task: T)
    where
        T: FnOnce(CUstream, &[CUdeviceptr]) -> Result<(), CudaError> + Send + 'static,
    {
        self.server.submit(move |server| server.on_stream(&buffers, task));
    }
}

/// Runs a task on the stream, as [`Queue::on_stream`], for a client.
pub fn on_stream<T>(client: &ComputeClient<CudaRuntime>, buffers: Vec<Binding>, task: T)
where
    T: FnOnce(CUstream, &[CUdeviceptr]) -> Result<(), CudaError> + Send + 'static,
{
    Queue::new(client.info().device).on_stream(buffers, task);
}
