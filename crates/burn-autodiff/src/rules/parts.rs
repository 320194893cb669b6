//! Composite operations that are recorded as the operations that they are made of.

use burn_backend::{Attention, AttentionGradArgs, Operation, Quantized, Recurrent};

/// Returns whether an operation has no rule for its tracked operands, and is recorded as the operations that
/// it is made of: attention with a mask that requires a gradient, its second derivatives, attention to
/// quantized rows or with a cache, quantized weights whose scales require one, and recurrent networks without
/// saved activations or on a backend that tracks too, since its tape cannot hold those activations.
pub fn is_in_parts<T>(
    op: &Operation<T>,
    is_tracked: impl Fn(&T) -> bool,
    tracks_below: impl FnOnce(&T) -> bool,
) -> bool {
    // Written out: iterators over operands are code that every program compiles.
    let mut any = false;
    let mut look = |x: &T| any |= is_tracked(x);
    match op {
        Operation::Attention(Attention::Attention(args)) => args.mask.as_ref().is_some_and(is_tracked),
        Operation::Attention(Attention::AttentionGrad(args)) => {
            let AttentionGradArgs { grad, query, key, value, mask, .. } = &**args;
            is_tracked(grad)
                || is_tracked(query)
                || is_tracked(key)
                || is_tracked(value)
                || mask.as_ref().is_some_and(is_tracked)
        }
        Operation::Attention(Attention::QuantizedAttention(args)) => {
            args.visit(&mut look);
            any
        }
        Operation::Attention(Attention::CachedAttention(args)) => {
            args.visit(&mut look);
            any
        }
        Operation::Quantized(Quantized::QuantizedMatmul(args)) => is_tracked(&args.rhs.scale),
        Operation::Recurrent(Recurrent::Recurrent(args)) => {
            args.visit(&mut look);
            any && (!args.keep_activations || tracks_below(&args.gates))
        }
        Operation::Recurrent(Recurrent::RecurrentGrad(args)) => {
            args.visit(&mut look);
            any
        }
        Operation::Elementwise(_) | Operation::Layout(_) | Operation::Reduction(_) | Operation::Order(_) => {
            false
        }
        Operation::Index(_) | Operation::Linalg(_) | Operation::Convolution(_) | Operation::Pooling(_) => {
            false
        }
        Operation::Resize(_)
        | Operation::Spectral(_)
        | Operation::Normalization(_)
        | Operation::Quantized(_) => false,
    }
}
