//! Recurrent networks of one layer and direction, with all steps in one call. Their gates come in the order
//! of `RecurrentKind`.

use super::declare::calls;
use super::{Fixed, Flag, Maybe, Operand};
use crate::error::{Outcome, require};
use crate::value::Spec;
#[cfg(feature = "run")]
use burn_tensor::module;

calls! {
    /// Long short-term memory: hidden states of all steps, the last one, and the last cell state.
    float erased fn lstm(gates: Fixed<3>, weight: Fixed<2>, h0: Fixed<2>, c0: Fixed<2>, backwards: Flag) -> many with_cell
        => {
            let first = c0;
            let state = module::RecurrentState { hidden: h0, cell: Some(first.clone()) };
            let options = module::RecurrentOptions { kind: module::RecurrentKind::Lstm, reverse: backwards, lengths: None };
            let (steps, last) = module::try_recurrent(gates, weight, None, state, options)?;
            (steps, last.hidden, last.cell.unwrap_or(first))
        };
    /// Gated recurrent unit whose reset gate comes after the product: hidden states of all steps, and the
    /// last one.
    float erased fn gru(gates: Fixed<3>, weight: Fixed<2>, inner_bias: Maybe<Fixed<1>>, h0: Fixed<2>, backwards: Flag) -> many with_bias
        => {
            let state = module::RecurrentState { hidden: h0, cell: None };
            let options = module::RecurrentOptions { kind: module::RecurrentKind::Gru, reverse: backwards, lengths: None };
            let (steps, last) = module::try_recurrent(gates, weight, inner_bias, state, options)?;
            (steps, last.hidden)
        };
    /// Gated recurrent unit whose reset gate comes before the product.
    float erased fn gru_reset_before(gates: Fixed<3>, weight: Fixed<2>, h0: Fixed<2>, backwards: Flag) -> many plain
        => {
            let state = module::RecurrentState { hidden: h0, cell: None };
            let options = module::RecurrentOptions { kind: module::RecurrentKind::GruResetBefore, reverse: backwards, lengths: None };
            let (steps, last) = module::try_recurrent(gates, weight, None, state, options)?;
            (steps, last.hidden)
        };
    /// Recurrent network with a hyperbolic tangent.
    float erased fn rnn_tanh(gates: Fixed<3>, weight: Fixed<2>, h0: Fixed<2>, backwards: Flag) -> many plain
        => {
            let state = module::RecurrentState { hidden: h0, cell: None };
            let options = module::RecurrentOptions { kind: module::RecurrentKind::Tanh, reverse: backwards, lengths: None };
            let (steps, last) = module::try_recurrent(gates, weight, None, state, options)?;
            (steps, last.hidden)
        };
    /// Recurrent network with a rectifier.
    float erased fn rnn_relu(gates: Fixed<3>, weight: Fixed<2>, h0: Fixed<2>, backwards: Flag) -> many plain
        => {
            let state = module::RecurrentState { hidden: h0, cell: None };
            let options = module::RecurrentOptions { kind: module::RecurrentKind::Relu, reverse: backwards, lengths: None };
            let (steps, last) = module::try_recurrent(gates, weight, None, state, options)?;
            (steps, last.hidden)
        };
}

fn states(operands: &[Operand], hidden: usize) -> Outcome<(Spec, Spec)> {
    let (gates, hidden) = (operands[0].tensor()?, operands[hidden].tensor()?);
    require!(gates.held_dims().len() == 3, "expected gates [time, batch, gates hidden], got {gates:?}");
    let last = hidden.spec.clone();
    let mut steps = vec![gates.held_dims()[0].clone()];
    steps.extend(last.dims.iter().cloned());
    Ok((Spec::new(last.dtype, steps), last))
}

fn plain(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (steps, last) = states(operands, 2)?;
    Ok(vec![steps, last])
}

fn with_bias(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (steps, last) = states(operands, 3)?;
    Ok(vec![steps, last])
}

fn with_cell(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (steps, last) = states(operands, 2)?;
    Ok(vec![steps, last.clone(), last])
}
