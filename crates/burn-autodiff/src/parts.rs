//! Operations that are recorded as those that they are made of, without the type of the backend.

#[cfg(feature = "std")]
use crate::pause::Pause;
use crate::template::Template;
use crate::{Autodiff, AutodiffTensor, BalancedCheckpointing, NoCheckpointing, NodeRef};
use alloc::vec::Vec;
use burn_backend::dynamic::Dynamic;
use burn_backend::{Outputs, reference};

type Tensor = AutodiffTensor<Dynamic>;

/// Calls the operations that `call` is made of, one after the other, and records them. `paused` represents
/// the results where the level of the operands records nothing; `recomputes` is
/// [`CheckpointStrategy::RECOMPUTE_MEMORY_BOUND`](crate::CheckpointStrategy).
#[track_caller]
pub fn record(call: Template, operands: Vec<Tensor>, paused: NodeRef, recomputes: bool) -> Outputs<Tensor> {
    #[cfg(feature = "std")]
    let _pause = Pause::set::<Dynamic>(paused);
    #[cfg(not(feature = "std"))]
    drop(paused);
    let op = call.of(operands);
    if recomputes {
        reference::decompose::<Autodiff<Dynamic, BalancedCheckpointing>>(op)
    } else {
        reference::decompose::<Autodiff<Dynamic, NoCheckpointing>>(op)
    }
}
