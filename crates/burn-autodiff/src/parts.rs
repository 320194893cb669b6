//! Operations that are recorded as those that they are made of, without the type of the backend.

#[cfg(feature = "std")]
use crate::pause::Pause;
use crate::template::Template;
use crate::{Autodiff, AutodiffTensor, BalancedCheckpointing, NoCheckpointing, NodeRef};
use alloc::vec::Vec;
use burn_backend::dynamic::Dynamic;
use burn_backend::{Backend, Operation, Outputs, reference};

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
        in_parts::<Autodiff<Dynamic, BalancedCheckpointing>>(op)
    } else {
        in_parts::<Autodiff<Dynamic, NoCheckpointing>>(op)
    }
}

#[track_caller]
fn in_parts<D: Backend<Tensor = Tensor>>(op: Operation<Tensor>) -> Outputs<Tensor> {
    if let Operation::Attention(args) = op {
        return reference::attention::<D>(*args).into();
    }
    if let Operation::AttentionGrad(args) = op {
        return reference::attention_grad::<D>(*args).into();
    }
    if let Operation::QuantizedMatmul(args) = op {
        return reference::quantized_matmul::<D>(*args).into();
    }
    if let Operation::Recurrent(args) = op {
        return reference::recurrent::<D>(*args).into();
    }
    if let Operation::RecurrentGrad(args) = op {
        return reference::recurrent_grad::<D>(*args).into();
    }
    unreachable!("what is recorded in parts is one of these")
}
