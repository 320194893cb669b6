use super::{B, Operand, Saves, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::{AttentionArgs, AttentionGradArgs, TypedCalls};

pub fn saves<T>(args: &AttentionArgs<T>) -> Saves {
    Saves::InputsAndOutputs(if args.mask.is_some() { 0b1111 } else { 0b111 })
}

/// Computes all three gradients in one pass over the scores, which are recomputed.
pub fn attention(
    args: AttentionArgs<Operand>,
    [output, log_sums]: [&Option<SavedTensor>; 2],
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let (output, log_sums) = (sink.restore(output), sink.restore(log_sums));
    let AttentionArgs { query, key, value, mask, causal, scale } = args.map_ref(|x| sink.value(x));
    let gradients = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
    let (query, key, value) = B::attention_grad(gradients);
    sink.add(&args.query, || query);
    sink.add(&args.key, || key);
    sink.add(&args.value, || value);
}
