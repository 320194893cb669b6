//! One stream of one device, and all that goes through it.

use crate::driver::{Context, Event, check};
use crate::server::graph::{Graph, Recording, copy};
use crate::server::kernels::{Compiled, Kernels};
use crate::server::properties::{CudaCompiler, architecture, options, properties};
use crate::server::staging::{Download, Staging};
use crate::server::storage::{ALIGNMENT, DeviceMemory, Pages, pools};
use crate::{CudaDevice, CudaError, OutOfMemory};
use burn_cubecl::{FailedBuffers, Room};
use cubecl::CubeTask;
use cubecl::backtrace::BackTrace;
use cubecl::bytes::Bytes;
use cubecl::device::DeviceService;
use cubecl::device::{Device, DeviceId, ServerUtilitiesHandle};
use cubecl::future::{DynFut, block_on};
use cubecl::prelude::{CubeCount, ExecutionMode};
use cubecl::profile::ProfileDuration;
use cubecl::server::{
    Binding, ComputeServer, CopyDescriptor, Handle, IoError, KernelArguments, ProfileError, ProfilingToken,
    ServerCommunication, ServerError, ServerUtilities,
};
use cubecl::stream_id::StreamId;
use cubecl_runtime::allocator::ContiguousMemoryLayoutPolicy;
use cubecl_runtime::logging::ServerLogger;
use cubecl_runtime::memory_management::{
    ManagedMemoryHandle, MemoryAllocationMode, MemoryManagement, MemoryManagementOptions, MemoryUsage,
};
use cubecl_runtime::storage::ManagedResource;
use cubecl_runtime::timestamp_profiler::TimestampProfiler;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

/// Properties of the server's device that clients read.
#[derive(Clone, Debug)]
pub struct CudaInfo {
    pub device: CudaDevice,
    /// Product name of the device.
    pub name: String,
    /// Compute capability, 90 for 9.0.
    pub architecture: u32,
}

/// Server that runs kernels, copies and library calls on a device, all in the order of one stream (decision
/// 21).
pub struct CudaServer {
    context: Context,
    stream: CUstream,
    memory: MemoryManagement<Pages>,
    staging: Staging,
    kernels: Kernels,
    /// Pending errors by the thread that caused them, until it reads or waits.
    errors: HashMap<StreamId, Vec<ServerError>>,
    /// Tensors that there was no room for.
    failed_buffers: FailedBuffers,
    profiler: TimestampProfiler,
    utilities: Arc<ServerUtilities<Self>>,
    /// Graph that a thread records.
    recording: Option<Recording>,
}

// SAFETY: the stream is of the driver, which any thread may call; one thread at a time has the server.
unsafe impl Send for CudaServer {}

impl fmt::Debug for CudaServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaServer").field("context", &self.context).finish_non_exhaustive()
    }
}

impl CudaServer {
    fn new(device: CudaDevice) -> Result<Self, CudaError> {
        let context = Context::open(device)?;
        let stream =
            check("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?;
        let properties = properties(&context);
        let architecture = architecture(&context);
        let logger = Arc::new(ServerLogger::default());
        let memory = MemoryManagement::from_configuration(
            Pages::new(&context, stream),
            &properties.memory,
            pools(context.total_memory()),
            logger.clone(),
            MemoryManagementOptions::new("device"),
        );
        let info = CudaInfo { device, name: context.name(), architecture };
        let policy = ContiguousMemoryLayoutPolicy::new(ALIGNMENT as usize);
        Ok(CudaServer {
            context,
            stream,
            memory,
            staging: Staging::new(context, stream),
            kernels: Kernels::new(architecture, options(architecture)),
            errors: HashMap::new(),
            failed_buffers: FailedBuffers::default(),
            profiler: TimestampProfiler::default(),
            utilities: Arc::new(ServerUtilities::new(properties, logger, info, policy)),
            recording: None,
        })
    }

    /// Runs `task` with the stream and the addresses of `buffers`: what it puts there comes after all that
    /// was asked for before, and before all that is asked for later. What it returns as an error is told to
    /// who reads next.
    pub fn on_stream<T>(&mut self, buffers: &[Binding], task: T)
    where
        T: FnOnce(CUstream, &[CUdeviceptr]) -> Result<(), CudaError>,
    {
        let places: Result<Vec<_>, CudaError> =
            buffers.iter().map(|buffer| Ok(self.place(buffer)?.pointer)).collect();
        let stream = self.stream_of_caller();
        let done = places.and_then(|places| task(stream, &places));
        self.note(StreamId::current(), done.map_err(ServerError::from));
    }

    /// Makes room and writes `bytes` to it.
    pub(crate) fn create(
        &mut self,
        memory: ManagedMemoryHandle,
        size: u64,
        to: &CopyDescriptor,
        bytes: &[u8],
    ) {
        let done = self.initialize(memory, size).and_then(|()| self.upload(to, bytes));
        self.note(StreamId::current(), done);
    }

    /// Returns the graph that the calling thread records.
    fn recording(&mut self) -> Option<&mut Recording> {
        self.recording.as_mut().filter(|recording| recording.thread == StreamId::current())
    }

    /// Returns the stream for work of the calling thread that is no kernel.
    fn stream_of_caller(&mut self) -> CUstream {
        self.stream_after(false).0
    }

    /// Returns the stream for a kernel of the calling thread, or for other work, and whether a kernel is
    /// right before it in a graph.
    fn stream_after(&mut self, is_kernel: bool) -> (CUstream, bool) {
        let own = self.stream;
        match self.recording() {
            Some(recording) => {
                (recording.stream, std::mem::replace(&mut recording.ends_with_kernel, is_kernel))
            }
            None => (own, false),
        }
    }

    /// Begins to record the launches of the calling thread, which update `state`.
    pub(crate) fn start_recording(&mut self, state: &[Binding]) -> Result<(), CudaError> {
        if self.recording.is_some() {
            return Err(CudaError::Unsupported { what: "two recordings at once" });
        }
        let thread = StreamId::current();
        let places = state.iter().map(|x| self.place(x)).collect::<Result<Vec<_>, _>>()?;
        let errors = self.errors.get(&thread).map_or(0, Vec::len);
        let mut recording = Recording::start(thread, errors, places)?;
        state.iter().for_each(|x| recording.keep(x.memory.clone()));
        self.recording = Some(recording);
        Ok(())
    }

    /// Ends what [`start_recording`](Self::start_recording) began. `state` gets the values that the state had
    /// where it lies elsewhere, which is an error.
    pub(crate) fn finish_recording(&mut self, state: &[Binding]) -> Result<Graph, CudaError> {
        let thread = StreamId::current();
        let is_own = self.recording.as_ref().is_some_and(|recording| recording.thread == thread);
        let Some(recording) = self.recording.take_if(|_| is_own) else {
            return Err(CudaError::Unsupported { what: "graphs that were not begun" });
        };
        let (before, errors) = (recording.state().to_vec(), recording.errors);
        let mut later = self
            .errors
            .get_mut(&thread)
            .map_or_else(Vec::new, |all| if all.len() > errors { all.split_off(errors) } else { Vec::new() });
        let graph = recording.finish();
        let after = state.iter().map(|x| self.place(x)).collect::<Result<Vec<_>, _>>()?;
        let mut is_in_place = before.len() == after.len();
        for (before, after) in before.into_iter().zip(after) {
            if before.pointer != after.pointer {
                is_in_place = false;
                copy(before, after, self.stream)?;
            }
        }
        match later.pop() {
            Some(error) => Err(CudaError::Driver { call: "recording", cause: error.to_string() }),
            None if is_in_place => graph,
            None => Err(CudaError::Unsupported { what: "steps that do not update their state in place" }),
        }
    }

    /// Launches a graph that updates `state`.
    pub(crate) fn launch_graph(&mut self, graph: &Graph, state: &[Binding]) {
        let done = self.try_launch(graph, state);
        self.note(StreamId::current(), done);
    }

    fn try_launch(&mut self, graph: &Graph, state: &[Binding]) -> Result<(), ServerError> {
        let places = state.iter().map(|x| self.place(x)).collect::<Result<Vec<_>, _>>()?;
        let moved = graph.moved(&places);
        // Others may have tensors where the graph was recorded.
        let mut kept = Vec::with_capacity(moved.len());
        for (own, given) in &moved {
            let memory = self.reserve(own.size)?;
            let place = self.memory.get_resource(memory.clone().binding(), None, None)?;
            copy(*own, place, self.stream)?;
            copy(*given, *own, self.stream)?;
            kept.push((memory, place));
        }
        graph.launch(self.stream)?;
        for ((own, given), (_memory, place)) in moved.iter().zip(&kept) {
            copy(*own, *given, self.stream)?;
            copy(*place, *own, self.stream)?;
        }
        Ok(())
    }

    fn note(&mut self, thread: StreamId, done: Result<(), ServerError>) {
        if let Err(error) = done {
            self.errors.entry(thread).or_default().push(error);
        }
    }

    /// Takes the errors of a thread since they were last reported.
    fn take_error(&mut self, thread: StreamId) -> Result<(), ServerError> {
        let mut errors = self.errors.remove(&thread).unwrap_or_default();
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(ServerError::ServerUnhealthy { errors, backtrace: BackTrace::capture() }),
        }
    }

    fn place(&mut self, buffer: &Binding) -> Result<DeviceMemory, CudaError> {
        if self.failed_buffers.has(buffer) {
            return Err(CudaError::FailedBuffer);
        }
        let place = self.find(buffer)?;
        if let Some(recording) = self.recording() {
            recording.keep(buffer.memory.clone());
            recording.uses(place);
        }
        Ok(place)
    }

    fn find(&mut self, buffer: &Binding) -> Result<DeviceMemory, CudaError> {
        let found = self.memory.get_resource(buffer.memory.clone(), buffer.offset_start, buffer.offset_end);
        found.map_err(|error| CudaError::Driver { call: "memory", cause: error.to_string() })
    }

    /// Returns whether the graph that the calling thread records has not used this buffer so far.
    pub(crate) fn is_untouched(&mut self, buffer: &Binding) -> bool {
        let Ok(place) = self.find(buffer) else { return false };
        self.recording().is_none_or(|recording| recording.is_untouched(place))
    }

    /// Room for `size` bytes; if need be, what the pools keep for others is given back first.
    fn reserve(&mut self, size: u64) -> Result<ManagedMemoryHandle, CudaError> {
        let size = size.max(ALIGNMENT);
        if let Ok(reserved) = self.memory.reserve(size) {
            return Ok(reserved);
        }
        self.memory.cleanup(true);
        self.memory.storage().trim();
        self.memory.reserve(size).map_err(|_| {
            let usage = self.memory.memory_usage();
            let (free, total) = result::mem_get_info().unwrap_or((0, 0));
            CudaError::OutOfMemory(OutOfMemory {
                device: self.context.device.to_string(),
                asked: size,
                used: usage.bytes_in_use,
                reserved: usage.bytes_reserved,
                room: Room::Free { free: free as u64, total: total as u64 },
            })
        })
    }

    fn initialize(&mut self, memory: ManagedMemoryHandle, size: u64) -> Result<(), ServerError> {
        if let Some(recording) = self.recording() {
            recording.keep(memory.clone().binding());
        }
        match self.reserve(size) {
            Ok(reserved) => self.memory.bind(reserved, memory, 0).map_err(ServerError::from),
            Err(error) => {
                self.failed_buffers.add(Handle::from_memory(memory, StreamId::current(), size));
                Err(error.into())
            }
        }
    }

    fn upload(&mut self, to: &CopyDescriptor, bytes: &[u8]) -> Result<(), ServerError> {
        require_contiguous(to)?;
        let place = self.place(&to.handle)?;
        let len = bytes.len().min(place.size as usize);
        if let Some(recording) = self.recording() {
            // Each launch of the graph writes them again, over what its kernels may have changed.
            // SAFETY: the buffer has that many bytes, and its memory was kept when it was placed.
            unsafe { recording.upload(&bytes[..len], place.pointer) }?;
        }
        // SAFETY: the buffer has that many bytes.
        Ok(unsafe { self.staging.upload(&bytes[..len], place.pointer) }?)
    }

    fn download(&mut self, from: &CopyDescriptor) -> Result<Download, ServerError> {
        if self.recording().is_some() {
            return Err(CudaError::Unsupported { what: "reads in a step that is recorded" }.into());
        }
        require_contiguous(from)?;
        let place = self.place(&from.handle)?;
        let size = from.shape.iter().product::<usize>() * from.elem_size;
        // SAFETY: the buffer has that many bytes: the shape is of a view of it.
        Ok(unsafe { self.staging.download(place.pointer, size.min(place.size as usize)) }?)
    }

    /// The cubes of a launch. CUDA reads counts on the host only, so those on the device are waited for.
    fn cubes(&mut self, count: CubeCount) -> Result<[u32; 3], ServerError> {
        match count {
            CubeCount::Static(x, y, z) => Ok([x, y, z]),
            CubeCount::Dynamic(buffer) => {
                let read = CopyDescriptor::new(buffer, [3].into(), [1].into(), 4);
                let bytes = self.download(&read)?.finish()?;
                Ok(bytemuck::pod_read_unaligned(&bytes[..12]))
            }
        }
    }

    /// Writes the shapes of a launch to memory of their own; at once, as nothing else is written there while
    /// a graph keeps it.
    fn shapes(&mut self, words: &[u8]) -> Result<(ManagedMemoryHandle, DeviceMemory), ServerError> {
        let memory = self.reserve(words.len() as u64)?;
        let place = self.memory.get_resource(memory.clone().binding(), None, None)?;
        // SAFETY: as many bytes were reserved.
        unsafe { self.staging.upload(words, place.pointer) }?;
        if let Some(recording) = self.recording() {
            recording.keep(memory.clone().binding());
        }
        Ok((memory, place))
    }

    fn run(
        &mut self,
        kernel: &dyn CubeTask<CudaCompiler>,
        count: CubeCount,
        arguments: &KernelArguments,
        mode: ExecutionMode,
    ) -> Result<(), ServerError> {
        if !arguments.tensor_maps.is_empty() {
            return Err(CudaError::Unsupported { what: "tensor maps" }.into());
        }
        let [x, y, z] = self.cubes(count)?;
        if x == 0 || y == 0 || z == 0 {
            return Ok(());
        }
        let utilities = self.utilities.clone();
        let compiled = self.kernels.get(kernel, mode, &utilities.properties, &utilities.logger)?;
        // A kernel takes its arrays in order; then, where shapes are not known when it is compiled, an array
        // with them; and last, by value, scalars and lengths.
        let mut arrays = Vec::with_capacity(arguments.buffers.len() + 1);
        for buffer in &arguments.buffers {
            arrays.push(self.place(buffer)?.pointer);
        }
        let info = &arguments.info;
        // Until the launch is in the stream, no other call may be given the memory of the shapes.
        let mut _shapes = None;
        if info.dynamic_metadata_offset < info.data.len() {
            let words = bytemuck::cast_slice(&info.data[info.dynamic_metadata_offset..]);
            let (memory, place) = self.shapes(words)?;
            arrays.push(place.pointer);
            _shapes = Some(memory);
        }
        let mut parameters: Vec<*mut c_void> =
            arrays.iter_mut().map(|array| (&raw mut *array).cast()).collect();
        parameters.push(info.data.as_ptr().cast_mut().cast());
        let (stream, follows_kernel) = self.stream_after(true);
        // SAFETY: the kernel was compiled for these arguments, by the compiler that laid them out, and the
        // driver copies them before the call returns.
        Ok(unsafe { launch(&compiled, [x, y, z], &mut parameters, stream, follows_kernel) }?)
    }
}

/// Launches a kernel. In a graph, one that follows another may begin before that has ended, and waits itself.
///
/// # Safety
/// The parameters are those that the kernel was compiled for.
unsafe fn launch(
    kernel: &Compiled,
    [x, y, z]: [u32; 3],
    parameters: &mut [*mut c_void],
    stream: CUstream,
    follows_kernel: bool,
) -> Result<(), CudaError> {
    let value = sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 };
    let id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    let mut attribute = sys::CUlaunchAttribute { id, pad: [0; 4], value };
    let config = sys::CUlaunchConfig {
        gridDimX: x,
        gridDimY: y,
        gridDimZ: z,
        blockDimX: kernel.units.x,
        blockDimY: kernel.units.y,
        blockDimZ: kernel.units.z,
        sharedMemBytes: kernel.shared_memory,
        hStream: stream,
        attrs: &raw mut attribute,
        numAttrs: u32::from(follows_kernel && kernel.waits),
    };
    // SAFETY: as the caller promises; the configuration outlives the call.
    let launched = unsafe {
        sys::cuLaunchKernelEx(
            &raw const config,
            kernel.function,
            parameters.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    };
    check("cuLaunchKernelEx", launched.result())
}

/// Is ready at the second poll: whoever polls once has asked, and waits when it polls again.
async fn later() {
    let mut is_polled = false;
    poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut is_polled, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Copies are of whole buffers: no layout of ours has gaps.
fn require_contiguous(copy: &CopyDescriptor) -> Result<(), IoError> {
    let mut step = 1;
    let ordered = copy.shape.iter().zip(copy.strides.iter()).rev().all(|(&size, &stride)| {
        let fits = size == 1 || stride == step;
        step *= size;
        fits
    });
    if ordered { Ok(()) } else { Err(IoError::UnsupportedStrides { backtrace: BackTrace::capture() }) }
}

impl DeviceService for CudaServer {
    /// # Panics
    /// When the device cannot be used; [`CudaDevice::open`] says so before.
    fn init(device: DeviceId) -> Self {
        CudaServer::new(CudaDevice::from_id(device)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn utilities(&self) -> ServerUtilitiesHandle {
        self.utilities.clone()
    }
}

impl ServerCommunication for CudaServer {
    const SERVER_COMM_ENABLED: bool = false;
}

impl ComputeServer for CudaServer {
    type Kernel = Box<dyn CubeTask<CudaCompiler>>;
    type Info = CudaInfo;
    type MemoryLayoutPolicy = ContiguousMemoryLayoutPolicy;
    type Storage = Pages;

    fn initialize_memory(&mut self, memory: ManagedMemoryHandle, size: u64, thread: StreamId) {
        let done = self.initialize(memory, size);
        self.note(thread, done);
    }

    fn logger(&self) -> Arc<ServerLogger> {
        self.utilities.logger.clone()
    }

    fn utilities(&self) -> Arc<ServerUtilities<Self>> {
        self.utilities.clone()
    }

    fn read(
        &mut self,
        copies: Vec<CopyDescriptor>,
        thread: StreamId,
    ) -> DynFut<Result<Vec<Bytes>, ServerError>> {
        let earlier = self.take_error(thread);
        let begun = earlier
            .and_then(|()| copies.iter().map(|copy| self.download(copy)).collect::<Result<Vec<_>, _>>());
        Box::pin(async move {
            let begun = begun?;
            later().await;
            begun.into_iter().map(|download| download.finish().map_err(ServerError::from)).collect()
        })
    }

    fn write(&mut self, copies: Vec<(CopyDescriptor, Bytes)>, thread: StreamId) {
        for (to, bytes) in copies {
            let done = self.upload(&to, &bytes);
            self.note(thread, done);
        }
    }

    fn sync(&mut self, thread: StreamId) -> DynFut<Result<(), ServerError>> {
        let (earlier, event) = (self.take_error(thread), Event::record(self.context, self.stream));
        Box::pin(async move {
            event?.wait()?;
            earlier
        })
    }

    fn get_resource(
        &mut self,
        binding: Binding,
        _thread: StreamId,
    ) -> Result<ManagedResource<DeviceMemory>, ServerError> {
        let place = self.place(&binding)?;
        Ok(ManagedResource::new(binding.memory, place))
    }

    unsafe fn launch(
        &mut self,
        kernel: Self::Kernel,
        count: CubeCount,
        arguments: KernelArguments,
        mode: ExecutionMode,
        thread: StreamId,
    ) {
        let done = self.run(kernel.as_ref(), count, &arguments, mode);
        self.note(thread, done);
    }

    /// Nothing is held back: what is asked for is in the stream.
    fn flush(&mut self, thread: StreamId) -> Result<(), ServerError> {
        self.take_error(thread)
    }

    fn memory_usage(&mut self, _thread: StreamId) -> Result<MemoryUsage, ServerError> {
        Ok(self.memory.memory_usage())
    }

    fn memory_cleanup(&mut self, _thread: StreamId) {
        self.memory.cleanup(true);
        self.memory.storage().trim();
    }

    fn start_profile(&mut self, thread: StreamId) -> Result<ProfilingToken, ServerError> {
        block_on(self.sync(thread))?;
        Ok(self.profiler.start())
    }

    fn end_profile(
        &mut self,
        thread: StreamId,
        token: ProfilingToken,
    ) -> Result<ProfileDuration, ProfileError> {
        if let Err(error) = block_on(self.sync(thread)) {
            self.profiler.error(ProfileError::Server(Box::new(error)));
        }
        self.profiler.stop(token)
    }

    fn allocation_mode(&mut self, mode: MemoryAllocationMode, _thread: StreamId) {
        self.memory.mode(mode);
    }
}
