//! Recurrent networks. RNN, GRU and LSTM since version 7.

use super::iota::{item, part};
use super::matmul::product;
use super::recurrent_cell::{Activation, Cell, Recurrence};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// Gates of a network, and where its optional inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rnn,
    Gru,
    Lstm,
}

impl Kind {
    fn gates(self) -> usize {
        match self {
            Kind::Rnn => 1,
            Kind::Gru => 3,
            Kind::Lstm => 4,
        }
    }

    /// Position in files of each gate: the orders are `i o f c` and `z r h` in files, `i f g o` and `r z n`
    /// in tensors.
    fn gate_order(self) -> &'static [usize] {
        match self {
            Kind::Rnn => &[0],
            Kind::Gru => &[1, 0, 2],
            Kind::Lstm => &[0, 2, 3, 1],
        }
    }

    fn activations(self) -> &'static [&'static str] {
        match self {
            Kind::Rnn => &["Tanh"],
            Kind::Gru => &["Sigmoid", "Tanh"],
            Kind::Lstm => &["Sigmoid", "Tanh", "Tanh"],
        }
    }
}

/// Parameters and initial states of one direction.
struct Direction {
    backwards: bool,
    /// Projection of the input, with the biases that are outside of gates.
    gates: Tensor,
    /// Transposed recurrent weight, `[hidden, gates hidden]`.
    weight: Tensor,
    /// Recurrent bias of all gates.
    inner_bias: Option<Tensor>,
    hidden: Tensor,
    cell: Option<Tensor>,
    peepholes: Option<Tensor>,
    activations: Vec<Activation>,
}

pub(super) fn rnn(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    network(node, b, Kind::Rnn)
}

pub(super) fn gru(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    network(node, b, Kind::Gru)
}

pub(super) fn lstm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    network(node, b, Kind::Lstm)
}

fn network(node: &Node<'_>, b: &mut Builder, kind: Kind) -> Outcome<Vec<OnnxValue>> {
    let mut x = node.tensor(b, 0)?;
    require!(x.rank() == 3, "expected a sequence of rank 3, got {x:?}");
    // Layout 1 has the batch first.
    let by_batch = node.int("layout", 0)? == 1;
    if by_batch {
        x = b.permute(&x, &[1, 0, 2])?;
    }
    let count = match &node.text("direction", "forward")?[..] {
        "forward" | "reverse" => 1,
        "bidirectional" => 2,
        other => fail!("attribute `direction` must be forward, reverse or bidirectional, found `{other}`"),
    };
    let lengths = node.optional_tensor(b, 4)?;
    let (mut steps, mut hidden, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    for place in 0..count {
        let direction = direction(node, b, kind, &x, place, count, by_batch)?;
        let (own, last, cell) = run(node, b, kind, direction, lengths.as_ref())?;
        steps.push(b.unsqueeze_dims(&own, &[1])?);
        hidden.push(b.unsqueeze_dims(&last, &[0])?);
        if let Some(cell) = cell {
            cells.push(b.unsqueeze_dims(&cell, &[0])?);
        }
    }
    let mut joined = |tensors: &[Tensor], axis: usize| if tensors.len() == 1 { Ok(tensors[0].clone()) } else { b.cat(tensors, axis) };
    let mut outputs = vec![joined(&steps, 1)?, joined(&hidden, 0)?];
    if !cells.is_empty() {
        outputs.push(joined(&cells, 0)?);
    }
    if by_batch {
        for (place, output) in outputs.iter_mut().enumerate() {
            *output = if place == 0 { b.permute(output, &[2, 0, 1, 3])? } else { b.permute(output, &[1, 0, 2])? };
        }
    }
    Ok(outputs.into_iter().map(OnnxValue::from).collect())
}

/// Gates of the format in another order, along the first dimension of `x`.
fn reordered(b: &mut Builder, x: &Tensor, size: &Expr, order: &[usize]) -> Outcome<Tensor> {
    let mut parts = Vec::new();
    for &gate in order {
        parts.push(part(b, x, 0, size.clone() * gate, size.clone() * (gate + 1))?);
    }
    b.cat(&parts, 0)
}

fn direction(
    node: &Node<'_>,
    b: &mut Builder,
    kind: Kind,
    x: &Tensor,
    place: usize,
    count: usize,
    by_batch: bool,
) -> Outcome<Direction> {
    let (weights, recurrent) = (node.tensor(b, 1)?, node.tensor(b, 2)?);
    require!(
        weights.rank() == 3 && recurrent.rank() == 3 && weights.dim(0)?.known().is_none_or(|own| own == count as i64),
        "expected weights of {count} directions, got {weights:?}"
    );
    let (input, recurrent) = (item(b, &weights, 0, place)?, item(b, &recurrent, 0, place)?);
    let size = recurrent.dim(1)?;
    let order = kind.gate_order();
    let (mut input, mut recurrent) = (input, recurrent);
    if order.len() > 1 {
        (input, recurrent) = (reordered(b, &input, &size, order)?, reordered(b, &recurrent, &size, order)?);
    }
    let (input, recurrent) = (b.permute(&input, &[1, 0])?, b.permute(&recurrent, &[1, 0])?);
    let mut gates = product(b, x, &input)?;
    let mut inner_bias = None;
    if let Some(biases) = node.optional_tensor(b, 3)? {
        require!(biases.rank() == 2, "expected biases of rank 2, got {biases:?}");
        let own = item(b, &biases, 0, place)?;
        let width = size.clone() * kind.gates();
        let (outer, inner) = (part(b, &own, 0, 0, width.clone())?, part(b, &own, 0, width.clone(), width * 2)?);
        let (mut outer, mut inner) = (outer, inner);
        if order.len() > 1 {
            (outer, inner) = (reordered(b, &outer, &size, order)?, reordered(b, &inner, &size, order)?);
        }
        let outer = b.reshape(&outer, &[1.into(), 1.into(), size.clone() * kind.gates()])?;
        gates = b.add(&gates, &outer)?;
        inner_bias = Some(inner);
    }
    let batch = x.dim(1)?;
    let state = |b: &mut Builder, at: usize| match node.optional_tensor(b, at)? {
        Some(states) => {
            require!(states.rank() == 3, "expected states of rank 3, got {states:?}");
            item(b, &states, usize::from(by_batch), place)
        }
        None => b.full(&[batch.clone(), size.clone()], 0.0.into(), x.dtype()),
    };
    let hidden = state(b, 5)?;
    let cell = if kind == Kind::Lstm { Some(state(b, 6)?) } else { None };
    let peepholes = match node.optional_tensor(b, 7)? {
        Some(all) if kind == Kind::Lstm => {
            require!(all.rank() == 2, "expected peepholes of rank 2, got {all:?}");
            Some(item(b, &all, 0, place)?)
        }
        _ => None,
    };
    let backwards = place == 1 || node.text("direction", "forward")? == "reverse";
    let activations = activations(node, kind, place)?;
    Ok(Direction { backwards, gates, weight: recurrent, inner_bias, hidden, cell, peepholes, activations })
}

/// Activations of a direction, with their parameters in the order of those that have some.
fn activations(node: &Node<'_>, kind: Kind, place: usize) -> Outcome<Vec<Activation>> {
    let own = kind.activations();
    let names = node.texts_attribute("activations")?.unwrap_or_else(|| own.iter().map(|name| name.to_string()).collect());
    let (alphas, betas) =
        (node.floats_attribute("activation_alpha")?.unwrap_or_default(), node.floats_attribute("activation_beta")?.unwrap_or_default());
    let (mut alphas, mut betas) = (alphas.into_iter(), betas.into_iter());
    let mut all = Vec::new();
    for name in &names {
        all.push(Activation::new(name, &mut alphas, &mut betas)?);
    }
    let first = if names.len() == own.len() { 0 } else { place * own.len() };
    match all.get(first..first + own.len()) {
        Some(own) => Ok(own.to_vec()),
        None => fail!("attribute `activations` must have {} names for each direction, found {names:?}", own.len()),
    }
}

/// Adds the recurrent biases of gates that are not inside of another one.
fn with_bias(b: &mut Builder, gates: &Tensor, bias: Option<&Tensor>) -> Outcome<Tensor> {
    let Some(bias) = bias else { return Ok(gates.clone()) };
    let bias = b.reshape(bias, &[1.into(), 1.into(), gates.dim(2)?])?;
    b.add(gates, &bias)
}

fn run(
    node: &Node<'_>,
    b: &mut Builder,
    kind: Kind,
    own: Direction,
    lengths: Option<&Tensor>,
) -> Outcome<(Tensor, Tensor, Option<Tensor>)> {
    let clip = node.optional_float("clip")?;
    let after = node.flag("linear_before_reset", false)?;
    let couple = node.flag("input_forget", false)?;
    let size = own.hidden.dim(1)?;
    let usual = match kind {
        Kind::Rnn => matches!(own.activations[..], [Activation::Tanh] | [Activation::Relu]),
        Kind::Gru => own.activations == [Activation::Sigmoid, Activation::Tanh],
        Kind::Lstm => own.activations == [Activation::Sigmoid, Activation::Tanh, Activation::Tanh],
    };
    // The bias of the candidate is inside of the reset gate where that comes after the product.
    let (outer, inner) = match (&own.inner_bias, kind == Kind::Gru && after) {
        (Some(bias), true) => {
            let candidate = part(b, bias, 0, size.clone() * 2, size.clone() * 3)?;
            let zeros = b.full(std::slice::from_ref(&size), 0.0.into(), bias.dtype())?;
            let others = part(b, bias, 0, 0, size.clone() * 2)?;
            (Some(b.cat(&[others, zeros], 0)?), Some(candidate))
        }
        (bias, _) => (bias.clone(), None),
    };
    let gates = with_bias(b, &own.gates, outer.as_ref())?;
    if !usual || clip.is_some() || couple || lengths.is_some() || own.peepholes.is_some() {
        let cell = match kind {
            Kind::Rnn => Cell::Rnn,
            Kind::Gru => Cell::Gru { inner_bias: inner, after },
            Kind::Lstm => Cell::Lstm { peepholes: own.peepholes, couple },
        };
        let recurrence = Recurrence {
            cell: &cell,
            weight: &own.weight,
            activations: &own.activations,
            clip,
            backwards: own.backwards,
        };
        return recurrence.unrolled(b, &gates, (own.hidden, own.cell), lengths);
    }
    let results = match (kind, own.cell) {
        (Kind::Lstm, Some(cell)) => b.lstm(&gates, &own.weight, &own.hidden, &cell, own.backwards)?,
        (Kind::Gru, _) if after => b.gru(&gates, &own.weight, inner.as_ref(), &own.hidden, own.backwards)?,
        (Kind::Gru, _) => b.gru_reset_before(&gates, &own.weight, &own.hidden, own.backwards)?,
        _ if own.activations == [Activation::Relu] => b.rnn_relu(&gates, &own.weight, &own.hidden, own.backwards)?,
        _ => b.rnn_tanh(&gates, &own.weight, &own.hidden, own.backwards)?,
    };
    let mut results = results.into_iter();
    match (results.next(), results.next()) {
        (Some(steps), Some(last)) => Ok((steps, last, results.next())),
        _ => fail!("a recurrent network gives its steps and its last state"),
    }
}
