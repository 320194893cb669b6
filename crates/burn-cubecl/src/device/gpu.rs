use crate::device::arithmetic::Arithmetic;
use crate::device::catch_panic::caught_async;
use crate::device::engine::{Engine, LinearAlgebra};
use crate::device::faults::Faults;
use crate::device::guarded_server::Guard;
use crate::device::library::Library;
use crate::device::process_exit::wait_for;
use crate::device::tune::{Tuner, is_worker};
use crate::launch::element::storage;
use crate::launch::erased::Erased;
use crate::launch::kernel_patch::{KernelPatch, PatchedKernel};
use burn_backend::DType;
use cubecl::bytes::Bytes;
use cubecl::future::DynFut;
use cubecl::ir::features::TypeUsage;
use cubecl::ir::{ElemType, FloatKind, HardwareProperties, StorageType};
use cubecl::prelude::*;
use cubecl::server::{Handle, KernelArguments, ServerError};
use cubecl::{CubeCount, MemoryUsage};
use cubecl_runtime::compiler::CubeTask;
use cubecl_runtime::kernel::CompiledKernel;
use std::any::Any;
use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

/// The one implementation: a client of a runtime.
pub struct Gpu<R: Runtime> {
    name: String,
    device: R::Device,
    client: ComputeClient<R>,
    reads: AtomicUsize,
    launches: AtomicUsize,
    arithmetic: Arithmetic,
    denied: Option<DType>,
    is_software: bool,
    library: Option<Box<dyn Library>>,
    linear_algebra: &'static dyn LinearAlgebra,
    tuner: Tuner,
    faults: Arc<Faults>,
    guard: Option<Guard<R>>,
    patch: Option<KernelPatch<R::Compiler>>,
}

impl<R: Runtime> Debug for Gpu<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl<R: Runtime> Gpu<R> {
    /// Creates the engine of a device with IEEE 754 arithmetic. `model` is the vendor's product name.
    pub fn new(
        name: String,
        model: &str,
        device: R::Device,
        linear_algebra: &'static dyn LinearAlgebra,
    ) -> Self {
        let client = R::client(&device);
        let (reads, launches) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let tuner = Tuner::new(&format!("{} {model}", R::name(&client)));
        Gpu {
            name,
            device,
            client,
            reads,
            launches,
            arithmetic: Arithmetic::EXACT,
            denied: None,
            is_software: false,
            library: None,
            linear_algebra,
            tuner,
            faults: Arc::default(),
            guard: None,
            patch: None,
        }
    }

    /// Wraps the server in a guard that panics where an allocation fails. Other errors that the runtime
    /// reports of the device go to `faults`.
    #[must_use]
    pub fn with_guard(self, faults: Arc<Faults>) -> Self {
        let largest = self.client.properties().memory.max_page_size;
        let guard = Some(Guard::new(&self.name, &self.device, largest, faults.clone()));
        Gpu { faults, guard, ..self }
    }

    /// Patches kernels after their compilation, before the driver loads them.
    #[must_use]
    pub fn with_mended_kernels(
        self,
        patch: impl Fn(&mut CompiledKernel<R::Compiler>) + Send + Sync + 'static,
    ) -> Self {
        Gpu { patch: Some(Arc::new(patch)), ..self }
    }

    /// Disables a dtype that drivers claim to support but compute wrong.
    #[must_use]
    pub fn without(self, dtype: DType) -> Self {
        Gpu { denied: Some(dtype), ..self }
    }

    /// Marks the device as a software driver on the processor.
    #[must_use]
    pub fn in_software(self) -> Self {
        Gpu { is_software: true, ..self }
    }

    /// Adds a vendor library, which is offered calls first.
    #[must_use]
    pub fn with_library(self, library: impl Library + 'static) -> Self {
        Gpu { library: Some(Box::new(library)), ..self }
    }
}

impl<R: Runtime> Gpu<R> {
    /// Sets the arithmetic, and forgets the launches that measured it.
    pub(crate) fn with_arithmetic(self, arithmetic: Arithmetic) -> Self {
        let (reads, launches) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Gpu { arithmetic, reads, launches, ..self }
    }

    /// Everything that the thread asked for so far is with the device, and the buffers are there.
    fn flushed(&self, handles: &[Handle]) -> Result<(), ServerError> {
        self.faults.look();
        if self.faults.is_lost() {
            return self.faults.take_error();
        }
        let flushed = self.client.flush();
        // Why there was no room comes before what was not launched for it.
        self.faults.take_error()?;
        flushed?;
        self.guard.as_ref().map_or(Ok(()), |guard| guard.check(handles))
    }
}

impl<R: Runtime> Engine for Gpu<R>
where
    R::Device: Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }
    fn client(&self) -> &(dyn Any + Send + Sync) {
        &self.client
    }
    fn device(&self) -> &(dyn Any + Send + Sync) {
        &self.device
    }
    fn launch(&self, kernel: Erased, count: CubeCount, arguments: KernelArguments) {
        if !is_worker() {
            self.launches.fetch_add(1, Ordering::Relaxed);
        }
        let is_checked = kernel.is_checked;
        let task = KernelTask::<R::Compiler, Erased>::new(kernel);
        let task: Box<dyn CubeTask<R::Compiler>> = match &self.patch {
            Some(patch) => Box::new(PatchedKernel { task, patch: patch.clone() }),
            None => Box::new(task),
        };
        if let Some(guard) = &self.guard {
            let mode = if is_checked { ExecutionMode::Checked } else { ExecutionMode::Unchecked };
            // SAFETY: a kernel that is not checked says that it stays within its arrays.
            unsafe { guard.launch(task, count, arguments, mode) };
        } else if is_checked {
            self.client.launch(task, count, arguments);
        } else {
            // SAFETY: the kernel says that it stays within its arrays.
            unsafe { self.client.launch_unchecked(task, count, arguments) };
        }
    }
    fn create(&self, bytes: &[u8]) -> Handle {
        if let Some(guard) = &self.guard {
            return guard.create(bytes);
        }
        let made = self.library().and_then(|library| library.create(bytes));
        made.unwrap_or_else(|| self.client.create_from_slice(bytes))
    }
    fn empty(&self, bytes: usize) -> Handle {
        if let Some(guard) = &self.guard {
            return guard.empty(bytes);
        }
        let made = self.library().and_then(|library| library.empty(bytes));
        made.unwrap_or_else(|| self.client.empty(bytes))
    }
    fn read(&self, handles: Vec<Handle>) -> DynFut<Result<Vec<Bytes>, ServerError>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let (client, faults) = (self.client.clone(), self.faults.clone());
        // Errors of earlier work on these buffers, such as a kernel that does not compile, are reported here
        // or nowhere.
        let flushed = self.flushed(&handles);
        let mut read = Box::pin(caught_async(async move {
            flushed?;
            let read = caught_async(client.read_async(handles)).await;
            if read.is_err() {
                faults.look();
            }
            // A copy that failed is no error of the read: the device tells of it beside.
            faults.take_error()?;
            read
        }));
        // The device is asked now, and what comes next is queued behind the read.
        match read.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(read) => Box::pin(ready(read)),
            Poll::Pending => read,
        }
    }
    fn sync(&self) -> DynFut<Result<(), ServerError>> {
        let (client, faults) = (self.client.clone(), self.faults.clone());
        let flushed = self.flushed(&[]);
        Box::pin(caught_async(async move {
            flushed?;
            let done = caught_async(client.sync()).await;
            faults.take_error()?;
            done
        }))
    }
    fn wait_at_the_end(&self) {
        wait_for(self.client.clone());
    }
    fn faults(&self) -> &Faults {
        &self.faults
    }
    fn memory_usage(&self) -> Result<MemoryUsage, ServerError> {
        self.faults.look();
        if self.faults.is_lost() {
            self.faults.take_error()?;
        }
        self.client.memory_usage()
    }
    fn memory_cleanup(&self) {
        self.client.memory_cleanup();
    }
    fn has(&self, dtype: DType) -> bool {
        if self.denied == Some(dtype) {
            return false;
        }
        let supports = |ty: StorageType| self.client.properties().supports_type(ty);
        // A device may compute with elements that it cannot load.
        let is_stored =
            |dtype| self.client.properties().type_usage(storage(dtype)).contains(TypeUsage::Buffer);
        let wide = StorageType::Scalar(ElemType::Float(FloatKind::F64));
        match dtype {
            DType::F32 | DType::I32 | DType::U32 | DType::Bool => true,
            DType::I64 | DType::U64 => supports(storage(dtype)) && supports(wide),
            // Kernels look at the bits of an `f64` as integers.
            DType::F64 => supports(wide) && supports(storage(DType::U64)) && supports(storage(DType::I64)),
            DType::F16 | DType::BF16 => is_stored(dtype),
            DType::I16 | DType::I8 | DType::U16 | DType::U8 => is_stored(dtype),
        }
    }
    fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }
    fn launches(&self) -> usize {
        self.launches.load(Ordering::Relaxed)
    }
    fn is_software(&self) -> bool {
        self.is_software
    }
    fn hardware(&self) -> &HardwareProperties {
        &self.client.properties().hardware
    }
    fn max_cubes(&self) -> (u32, u32, u32) {
        R::max_cube_count()
    }
    fn widest_load(&self, bytes: usize) -> usize {
        // No compiler of ours has vectors of more numbers.
        const MOST: usize = 8;
        let hardware = self.hardware();
        (hardware.load_width as usize / 8 / bytes).clamp(1, hardware.max_vector_size.min(MOST))
    }
    fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }
    fn library(&self) -> Option<&dyn Library> {
        self.library.as_deref()
    }
    fn linear_algebra(&self) -> &'static dyn LinearAlgebra {
        self.linear_algebra
    }
    fn tuner(&self) -> &Tuner {
        &self.tuner
    }
}
