//! Operations of a replica: they run on its device, without the type of the backend.

use crate::template::Template;
use crate::{Autodiff, AutodiffTensor, BalancedCheckpointing, NoCheckpointing};
use alloc::vec::Vec;
use burn_backend::Backend;
use burn_backend::Outputs;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::replica::suspend;

type Tensor = AutodiffTensor<Dynamic>;

/// Calls the operation on the device of the [scope](burn_backend::replica::ReplicaScope), if the thread is in
/// one. `recomputes` is [`CheckpointStrategy::RECOMPUTE_MEMORY_BOUND`](crate::CheckpointStrategy).
#[track_caller]
pub fn execute(call: Template, operands: Vec<Tensor>, recomputes: bool) -> Outputs<Tensor> {
    // Within the scope the call below would come here again.
    let scope = suspend();
    let operands = match &scope {
        Some((device, _)) => operands.into_iter().map(|x| moved(x, device)).collect(),
        None => operands,
    };
    let op = call.of(operands);
    if recomputes {
        <Autodiff<Dynamic, BalancedCheckpointing>>::execute(op)
    } else {
        <Autodiff<Dynamic, NoCheckpointing>>::execute(op)
    }
}

/// Moves an operand, unless it is there or its backend has other devices.
fn moved(x: Tensor, device: &DynamicDevice) -> Tensor {
    let (own, device) = (<Dynamic as Backend>::device(&x.primitive), device.for_tensor(&x.primitive));
    if device == own || device.backend().id() != own.backend().id() {
        return x;
    }
    <Autodiff<Dynamic> as Backend>::to_device(x, &device)
}
