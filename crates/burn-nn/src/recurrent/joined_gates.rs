//! The weights of all gates of a layer side by side, as the operation of a sequence wants them.

use super::GateController;
use crate::Linear;
use alloc::vec::Vec;
use burn_core::module::Param;
use burn_core::tensor::backend::module_scope;
use burn_core::tensor::{Backend, Tensor};

pub struct JoinedGates<B: Backend> {
    /// `[d_input, gates d_hidden]`.
    pub input: Tensor<B, 2>,
    /// `[d_hidden, gates d_hidden]`.
    pub hidden: Tensor<B, 2>,
    /// Sum of the biases of both projections, `[gates d_hidden]`.
    pub bias: Option<Tensor<B, 1>>,
    /// Bias of the hidden projection of the last gate, where a reset gate multiplies it: `[d_hidden]`.
    pub inner_bias: Option<Tensor<B, 1>>,
}

impl<B: Backend> JoinedGates<B> {
    /// Joins the weights of gates. `has_inner_bias`: whether the bias of the hidden projection of the last
    /// gate stays separate.
    pub fn new(gates: &[&GateController<B>], has_inner_bias: bool) -> Self {
        let weights = |of: fn(&GateController<B>) -> &Linear<B>| {
            Tensor::cat(gates.iter().map(|gate| of(gate).weight.val()).collect(), 1)
        };
        let last = gates.len() - 1;
        let is_inner = |at: usize| has_inner_bias && at == last;
        let value = |bias: &Option<Param<Tensor<B, 1>>>| bias.as_ref().map(Param::val);
        let biases: Vec<_> = gates
            .iter()
            .enumerate()
            .map(|(at, gate)| {
                let hidden = Some(at).filter(|&at| !is_inner(at));
                let hidden = hidden.and_then(|_| value(&gate.hidden_transform.bias));
                match (value(&gate.input_transform.bias), hidden) {
                    (Some(input), Some(hidden)) => Some(input + hidden),
                    (input, hidden) => input.or(hidden),
                }
            })
            .collect();
        let inner_bias = has_inner_bias.then(|| value(&gates[last].hidden_transform.bias)).flatten();
        let bias = biases.iter().any(Option::is_some).then(|| {
            let zeros = |gate: &GateController<B>| {
                let weight = gate.hidden_transform.weight.val();
                Tensor::zeros([weight.dims()[1]], &weight.device())
            };
            let whole = biases.into_iter().zip(gates).map(|(bias, gate)| bias.unwrap_or_else(|| zeros(gate)));
            Tensor::cat(whole.collect(), 0)
        });
        let (input, hidden) = (weights(|gate| &gate.input_transform), weights(|gate| &gate.hidden_transform));
        // The weights are those of a layer, which has the gates, which have the linear layers.
        module_scope::rise(2);
        JoinedGates { input, hidden, bias, inner_bias }
    }
}
