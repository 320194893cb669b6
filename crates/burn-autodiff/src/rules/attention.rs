use super::{B, Operand, Saves, Sink, Tensor};
use crate::checkpoint::Source;
use burn_backend::{AttentionArgs, AttentionGradArgs, Backend, Operation, Outputs, reference};

/// Whether an operation has no rule for what is tracked, and is recorded as the operations that it is made of:
/// attention with a mask that wants a gradient, and second derivatives.
pub fn is_in_parts<T>(op: &Operation<T>, is_tracked: impl Fn(&T) -> bool) -> bool {
    if let Operation::Attention(args) = op {
        return args.mask.as_ref().is_some_and(is_tracked);
    }
    if let Operation::AttentionGrad(args) = op {
        let AttentionGradArgs { grad, query, key, value, mask, .. } = &**args;
        return [grad, query, key, value].into_iter().chain(mask).any(is_tracked);
    }
    false
}

/// The operations that attention is made of, one after the other. Every program compiles them for its backend: `Dynamic` would
/// cost it the object of a backend that tracks, ten times as much.
#[cold]
pub fn in_parts<D: Backend>(op: Operation<D::Tensor>) -> Outputs<D::Tensor> {
    if let Operation::Attention(args) = op {
        return reference::attention::<D>(*args).into();
    }
    if let Operation::AttentionGrad(args) = op {
        return reference::attention_grad::<D>(*args).into();
    }
    unreachable!("{} has a rule", op.name())
}

pub fn saves<T>(args: &AttentionArgs<T>) -> Saves {
    Saves::InputsAndOutputs(if args.mask.is_some() { 0b1111 } else { 0b111 })
}

/// All three gradients from one pass over the scores, which are computed again.
pub fn attention(
    args: AttentionArgs<Operand>,
    [output, log_sums]: [&Option<Source>; 2],
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let (output, log_sums) = (sink.restore(output), sink.restore(log_sums));
    let AttentionArgs { query, key, value, mask, causal, scale } = args.by_ref().map(|x| sink.value(x));
    let gradients = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
    let (query, key, value) = B::attention_grad(gradients);
    sink.add(&args.query, || query);
    sink.add(&args.key, || key);
    sink.add(&args.value, || value);
}
