use super::attention::Attention;
use super::attention_grad::AttentionGrad;
use super::conv::Convolution;
use super::graph::Graph;
use super::plan::Plan;
use super::session::Session;
use crate::blas::DeviceRange;
use crate::driver::{self, Context};
use crate::recent::Recent;
use crate::{CudaDevice, CudaError, Queue};
use burn_backend::{DType, kernels};
use cubecl::server::Handle;
use cudarc::cudnn::sys::cudnnBackendNumericalNote_t as Note;
use cudarc::driver::result;
use std::sync::{Arc, Mutex};

/// Plans that are kept: those of a network of some hundred convolutions with their gradients.
const MOST: usize = 1024;

/// Call, with everything that determines its plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DnnCall {
    Convolution(Box<Convolution>),
    Attention(Box<Attention>),
    AttentionGrad(Box<AttentionGrad>),
}

impl DnnCall {
    fn graph(&self) -> Result<Graph, CudaError> {
        match self {
            DnnCall::Convolution(convolution) => convolution.graph(),
            DnnCall::Attention(attention) => attention.graph(),
            DnnCall::AttentionGrad(grad) => grad.graph(),
        }
    }

    /// Returns the numerical note of the engines to try first. For the gradient by the input, the heuristics
    /// suggest no Winograd engine, as they do for the weight's gradient: 587 us without it, 247 us with it
    /// (64 images of 64 x 56 x 56).
    fn first(&self) -> Option<Note> {
        match self {
            DnnCall::Convolution(call) if call.is_transformed() => Some(Note::CUDNN_NUMERICAL_NOTE_WINOGRAD),
            DnnCall::Convolution(_) | DnnCall::Attention(_) | DnnCall::AttentionGrad(_) => None,
        }
    }

    /// Returns the notes of engines to exclude: those that round more than the caller expects, or are
    /// nondeterministic.
    fn without(&self) -> &'static [Note] {
        const ALWAYS: [Note; 3] = [
            Note::CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS,
            Note::CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION,
            Note::CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC,
        ];
        // Transforms of small tiles, the other kinds of Winograd's, are as good as sums.
        const FULL: [Note; 7] = [
            ALWAYS[0],
            ALWAYS[1],
            ALWAYS[2],
            Note::CUDNN_NUMERICAL_NOTE_TENSOR_CORE,
            Note::CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
            Note::CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13,
            Note::CUDNN_NUMERICAL_NOTE_FFT,
        ];
        match self {
            DnnCall::Convolution(call) if call.x.dtype == DType::F32 && !call.tf32 => &FULL,
            DnnCall::Convolution(_) | DnnCall::Attention(_) | DnnCall::AttentionGrad(_) => &ALWAYS,
        }
    }
}

/// cuDNN on one device.
#[derive(Debug)]
pub struct Dnn {
    context: Context,
    queue: Queue,
    memory: fn(CudaDevice, usize) -> Handle,
    /// Session for calls, which run on the thread of the queue.
    calls: Arc<Mutex<Session>>,
    plans: Mutex<Plans>,
}

#[derive(Debug)]
struct Plans {
    /// Session for building plans, on the threads that request calls.
    session: Session,
    /// Plans by call, or the reason why the library rejects it.
    made: Recent<DnnCall, Result<Arc<Plan>, Arc<str>>>,
}

impl Dnn {
    /// Opens the library, which takes its workspace from `memory`.
    ///
    /// # Errors
    /// When it cannot be loaded, is too old, or does not know the device.
    pub fn new(device: CudaDevice, memory: fn(CudaDevice, usize) -> Handle) -> Result<Self, CudaError> {
        let context = Context::open(device)?;
        let calls = Arc::new(Mutex::new(Session::open(&context)?));
        let plans = Mutex::new(Plans { session: Session::open(&context)?, made: Recent::new(MOST) });
        Ok(Dnn { context, queue: Queue::new(device), memory, calls, plans })
    }

    /// Returns whether this version computes attention with scores of minus infinity, and its gradients,
    /// correctly.
    pub fn has_attention(&self) -> bool {
        const SINCE: usize = 91_000;
        Session::version() >= SINCE
    }

    /// Enqueues the call on the stream.
    ///
    /// # Errors
    /// The reason of the library, when it has no engine for the call.
    pub fn run(&self, call: DnnCall, operands: &[DeviceRange]) -> Result<(), Arc<str>> {
        let plan = self.plan(call)?;
        let workspace = (self.memory)(self.context.device, plan.workspace().max(1));
        let handles = operands.iter().map(|place| &place.handle).chain([&workspace]);
        let buffers = handles.map(|handle| handle.clone().binding()).collect();
        let offsets: Vec<u64> = operands.iter().map(|place| place.offset).collect();
        let calls = self.calls.clone();
        kernels::ran(|| "cuDNN".into());
        self.queue.on_stream(buffers, move |stream, places| {
            let session = calls.lock().expect("nobody panics while it is held");
            let (&workspace, operands) = places.split_last().expect("the last is the workspace");
            let places: Vec<u64> =
                operands.iter().zip(offsets).map(|(place, offset)| place + offset).collect();
            // SAFETY: the stream is that of the device, and the plan describes these buffers.
            unsafe {
                session.follow(stream)?;
                plan.run(&session, &places, workspace)
            }
        });
        Ok(())
    }

    fn plan(&self, call: DnnCall) -> Result<Arc<Plan>, Arc<str>> {
        let mut plans = self.plans.lock().expect("nobody panics while it is held");
        let Plans { session, made } = &mut *plans;
        if let Some(plan) = made.get(&call) {
            return plan.clone();
        }
        let bound = self.context.bind();
        let plan = bound.and_then(|()| Plan::new(session, call.graph()?, call.first(), call.without()));
        let is_passing = plan.as_ref().is_err_and(CudaError::is_passing);
        let plan = plan.map(Arc::new).map_err(|error| Arc::from(error.to_string()));
        if is_passing {
            // There may be memory the next time.
            return plan;
        }
        if let Some(Ok(old)) = made.insert(call, plan.clone()) {
            self.retire(old);
        }
        plan
    }

    /// Drops a plan once the device is through with its calls: their kernels may be of it.
    fn retire(&self, plan: Arc<Plan>) {
        self.queue.on_stream(Vec::new(), move |stream, _| {
            // SAFETY: the stream is that of the device, which is current.
            let done = unsafe { result::stream::synchronize(stream) };
            drop(plan);
            driver::check("cuStreamSynchronize", done)
        });
    }
}
