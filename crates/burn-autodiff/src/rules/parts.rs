//! Composite operations that are recorded as the operations that they are made of.

use burn_backend::{AttentionGradArgs, Operation};

/// Returns whether an operation has no rule for its tracked operands, and is recorded as the operations that
/// it is made of: attention with a mask that requires a gradient, its second derivatives, quantized weights
/// whose scales require one, and recurrent networks without saved activations or on a backend that tracks
/// too, since its tape cannot hold those activations.
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
        // Written out: iterators over them are code that every program compiles.
        return is_tracked(grad)
            || is_tracked(query)
            || is_tracked(key)
            || is_tracked(value)
            || mask.as_ref().is_some_and(is_tracked);
    }
    if let Operation::QuantizedMatmul(args) = op {
        return is_tracked(&args.rhs.scale);
    }
    // The arguments and not the operation are gone through: less code for every program.
    let mut any = false;
    let mut look = |x: &T| any |= is_tracked(x);
    if let Operation::Recurrent(args) = op {
        args.visit(&mut look);
        return any && (!args.keep_activations || tracks_below(&args.gates));
    }
    if let Operation::RecurrentGrad(args) = op {
        args.visit(&mut look);
        return any;
    }
    false
}
