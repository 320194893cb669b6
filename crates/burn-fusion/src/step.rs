use crate::slot::Slot;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{FusionObject, Operation, Outputs};
use std::panic::Location;
use std::sync::{Arc, Weak};

/// The backend under the queue. A trait object, so that queue and planner are compiled once, here.
pub type Inner = &'static dyn FusionObject;

/// Custom operation in the queue: see `Fusion::custom`.
pub type Custom = Box<dyn FnOnce(Vec<DynamicTensor>) -> Outputs<DynamicTensor> + Send>;

/// The operation of a queued step.
pub enum QueuedWork {
    /// An operation, and the source location of the call.
    Call(Operation<Arc<Slot>>, &'static Location<'static>),
    Custom(Vec<Arc<Slot>>, Custom),
}

/// Queued call. Its results are weak handles: dropped ones are not computed.
pub struct QueuedStep {
    pub work: QueuedWork,
    pub outputs: Outputs<Weak<Slot>>,
}
