//! Calls of norms, attention and recurrent networks.

use super::call::{Call, F, call, mask, positive, x};
use crate::Family;
use crate::cases::{gradients_of, recurrent_grads_of};
use crate::input::{Input, spread};
use burn_backend::*;

pub fn layer_norm() -> Vec<Call> {
    let list = |given: bool, list: Input| given.then_some(list);
    let of = |weight, bias| {
        let (weight, bias) = (list(weight, positive([4])), list(bias, spread([4], F, -0.7, 0.5)));
        Operation::Normalization(Normalization::LayerNorm(Box::new(LayerNormArgs {
            x: x([3, 4]),
            weight,
            bias,
            epsilon: 1e-3,
        })))
    };
    vec![call("plain", of(false, false)), call("scaled", of(true, false)), call("affine", of(true, true))]
}

pub fn layer_norm_grad() -> Vec<Call> {
    let of = |weight| {
        let (grad, x) = (spread([3, 4], F, 1.7, -0.9), x([3, 4]));
        Operation::Normalization(Normalization::LayerNormGrad(Box::new(LayerNormGradArgs {
            grad,
            x,
            weight,
            epsilon: 1e-3,
        })))
    };
    vec![call("plain", of(None)), call("scaled", of(Some(positive([4]))))]
}

pub fn attention(family: Family) -> Vec<Call> {
    let hidden = [0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0].map(i128::from);
    // The third query sees nothing.
    let masks = [
        ("plain", None, false),
        ("causal", None, true),
        ("hidden", Some(mask(&hidden, [1, 1, 3, 4])), false),
        ("added", Some(spread([1, 2, 3, 4], F, -0.9, 1.1)), true),
    ];
    let calls = masks.map(|(name, mask, causal)| {
        let (query, key) = (x([1, 2, 3, 2]), spread([1, 1, 4, 2], F, -1.2, 1.5));
        let value = spread([1, 1, 4, 3], F, 1.7, -0.9);
        let args = AttentionArgs { query, key, value, mask, causal, scale: 0.6 };
        if family == Family::Attention {
            return call(name, Operation::Attention(Attention::Attention(Box::new(args))));
        }
        let grad = spread([1, 2, 3, 3], F, 1.3, -1.1);
        call(name, Operation::Attention(Attention::AttentionGrad(Box::new(gradients_of(args, grad)))))
    });
    calls.into()
}

pub fn recurrent(family: Family, kind: RecurrentKind) -> Vec<Call> {
    let (time, batch, size) = (3, 2, 2);
    let state = |low, high| spread([batch, size], F, low, high);
    let runs = [(None, false), (None, true), (Some(vec![3, 1]), false), (Some(vec![2, 3]), true)];
    // The slope of a state that is zero has no difference quotient.
    let is_kinked = kind == RecurrentKind::Relu && family == Family::RecurrentGrad;
    let (low, low_weight) = if is_kinked { (0.5, 0.1) } else { (-1.3, -0.8) };
    let call_of = |(lengths, reverse): (Option<Vec<usize>>, bool)| {
        let args = RecurrentArgs {
            kind,
            gates: spread([time, batch, kind.gates() * size], F, low, 1.6),
            weight: spread([size, kind.gates() * size], F, 1.1, low_weight),
            hidden: state(0.2, 0.9),
            cell: (kind == RecurrentKind::Lstm).then(|| state(0.8, -0.7)),
            bias: (kind == RecurrentKind::Gru).then(|| spread([size], F, -0.4, 0.7)),
            lengths,
            reverse,
            keep_activations: true,
        };
        let name = format!("{kind:?}, lengths {:?}, reverse: {reverse}", args.lengths);
        if family == Family::Recurrent {
            return call(name, Operation::Recurrent(Recurrent::Recurrent(Box::new(args))));
        }
        let grad = spread([time + kind.states(), batch, size], F, 1.3, -1.1);
        // The gradient of a ReLU network reads the sign of the hidden states, that of an LSTM does not read them.
        let is_without = matches!(kind, RecurrentKind::Relu | RecurrentKind::Lstm);
        let without_gradient = is_without.then_some(1);
        Call {
            without_gradient,
            ..call(
                name,
                Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(recurrent_grads_of(args, grad)))),
            )
        }
    };
    runs.into_iter().map(call_of).collect()
}
