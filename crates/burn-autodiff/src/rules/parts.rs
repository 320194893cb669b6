//! Operations that are recorded as those that they are made of.

use burn_backend::{AttentionGradArgs, Backend, Operation, Outputs, reference};

/// Whether an operation has no rule for what is tracked, and is recorded as the operations that it is made of:
/// attention with a mask that wants a gradient, its second derivatives, quantized weights whose scales want one, and
/// recurrent networks without activations, or where the backend tracks too: their activations have no place in its tape.
pub fn is_in_parts<T>(
    op: &Operation<T>,
    is_tracked: impl Fn(&T) -> bool,
    tracks_below: impl FnOnce(&T) -> bool,
) -> bool {
    if let Operation::Attention(args) = op {
        return args.mask.as_ref().is_some_and(is_tracked);
    }
    if let Operation::AttentionGrad(args) = op {
        let AttentionGradArgs { grad, query, key, value, mask, .. } = &**args;
        return [grad, query, key, value].into_iter().chain(mask).any(is_tracked);
    }
    if let Operation::QuantizedMatmul(args) = op {
        return is_tracked(&args.rhs.scale);
    }
    if let Operation::Recurrent(args) = op {
        return op.any(is_tracked) && (!args.keep_activations || tracks_below(&args.gates));
    }
    if let Operation::RecurrentGrad(_) = op {
        return op.any(is_tracked);
    }
    false
}

/// The operations that such a one is made of, one after the other. Every program compiles them for its backend: `Dynamic` would
/// cost it the object of a backend that tracks, ten times as much.
#[cold]
pub fn in_parts<D: Backend>(op: Operation<D::Tensor>) -> Outputs<D::Tensor> {
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
