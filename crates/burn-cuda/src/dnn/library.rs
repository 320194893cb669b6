use super::attention::Attention;
use super::attention_grad::AttentionGrad;
use super::convolution::Convolution;
use super::graph::Graph;
use super::plan::Plan;
use super::session::Session;
use crate::blas::Place;
use crate::driver::Context;
use crate::{CudaDevice, CudaError, Queue};
use burn_backend::DType;
use cubecl::server::Handle;
use cudarc::cudnn::sys::cudnnBackendNumericalNote_t as Note;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A call, with all that tells its plan from those of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    Convolution(Box<Convolution>),
    Attention(Box<Attention>),
    AttentionGrad(Box<AttentionGrad>),
}

impl Call {
    fn graph(&self) -> Result<Graph, CudaError> {
        match self {
            Call::Convolution(convolution) => convolution.graph(),
            Call::Attention(attention) => attention.graph(),
            Call::AttentionGrad(grad) => grad.graph(),
        }
    }

    /// Engines that round more than the caller expects, or add up in another order each time.
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
            Call::Convolution(call) if call.x.dtype == DType::F32 && !call.tf32 => &FULL,
            Call::Convolution(_) | Call::Attention(_) | Call::AttentionGrad(_) => &ALWAYS,
        }
    }
}

/// cuDNN on one device.
#[derive(Debug)]
pub struct Dnn {
    context: Context,
    queue: Queue,
    memory: fn(CudaDevice, usize) -> Handle,
    /// For calls, which the thread of the queue makes.
    calls: Arc<Mutex<Session>>,
    plans: Mutex<Plans>,
}

#[derive(Debug)]
struct Plans {
    /// For those who ask for a call, which is another thread than the one that makes it.
    session: Session,
    /// Nothing, where the library has none.
    made: HashMap<Call, Option<Arc<Plan>>>,
}

impl Dnn {
    /// The library, which takes its workspace from `memory`.
    ///
    /// # Errors
    /// When it cannot be loaded, is too old, or does not know the device.
    pub fn new(device: CudaDevice, memory: fn(CudaDevice, usize) -> Handle) -> Result<Self, CudaError> {
        let context = Context::open(device)?;
        let calls = Arc::new(Mutex::new(Session::open(&context)?));
        let plans = Mutex::new(Plans { session: Session::open(&context)?, made: HashMap::new() });
        Ok(Dnn { context, queue: Queue::new(device), memory, calls, plans })
    }

    /// Whether scores of minus infinity, and gradients, are as we describe them.
    pub fn has_attention(&self) -> bool {
        const SINCE: usize = 91_000;
        Session::version() >= SINCE
    }

    /// Puts the call into the stream, or says that the library cannot compute it.
    pub fn run(&self, call: Call, operands: &[Place]) -> bool {
        let Some(plan) = self.plan(call) else { return false };
        let workspace = (self.memory)(self.context.device, plan.workspace().max(1));
        let handles = operands.iter().map(|place| &place.handle).chain([&workspace]);
        let buffers = handles.map(|handle| handle.clone().binding()).collect();
        let offsets: Vec<u64> = operands.iter().map(|place| place.offset).collect();
        let calls = self.calls.clone();
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
        true
    }

    fn plan(&self, call: Call) -> Option<Arc<Plan>> {
        let mut plans = self.plans.lock().expect("nobody panics while it is held");
        let Plans { session, made } = &mut *plans;
        let made = made.entry(call).or_insert_with_key(|call| {
            self.context.bind().ok()?;
            let plan = call.graph().and_then(|graph| Plan::new(session, graph, call.without()));
            plan.ok().map(Arc::new)
        });
        made.clone()
    }
}
