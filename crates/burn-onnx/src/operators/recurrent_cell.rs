//! Cells of recurrent networks step by step: peepholes, clipping, sequences of different lengths, and unusual
//! activations.

use super::iota::{along, item, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::value::{Expr, Tensor};
use burn_ir::DType;

/// Activation of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Activation {
    Sigmoid,
    Tanh,
    Relu,
    Softsign,
    Softplus,
    Affine { alpha: f64, beta: f64 },
    LeakyRelu { alpha: f64 },
    ThresholdedRelu { alpha: f64 },
    ScaledTanh { alpha: f64, beta: f64 },
    HardSigmoid { alpha: f64, beta: f64 },
    Elu { alpha: f64 },
}

impl Activation {
    /// Creates the activation of a name, with its parameters if it has some.
    pub fn new(
        name: &str,
        alphas: &mut impl Iterator<Item = f64>,
        betas: &mut impl Iterator<Item = f64>,
    ) -> Outcome<Self> {
        let mut alpha = |default: f64| alphas.next().unwrap_or(default);
        let mut beta = |default: f64| betas.next().unwrap_or(default);
        Ok(match &name.to_ascii_lowercase()[..] {
            "sigmoid" => Activation::Sigmoid,
            "tanh" => Activation::Tanh,
            "relu" => Activation::Relu,
            "softsign" => Activation::Softsign,
            "softplus" => Activation::Softplus,
            "affine" => Activation::Affine { alpha: alpha(1.0), beta: beta(0.0) },
            "leakyrelu" => Activation::LeakyRelu { alpha: alpha(0.01) },
            "thresholdedrelu" => Activation::ThresholdedRelu { alpha: alpha(1.0) },
            "scaledtanh" => Activation::ScaledTanh { alpha: alpha(1.0), beta: beta(1.0) },
            "hardsigmoid" => Activation::HardSigmoid { alpha: alpha(0.2), beta: beta(0.5) },
            "elu" => Activation::Elu { alpha: alpha(1.0) },
            _ => fail!("attribute `activations` has `{name}`, which is not known"),
        })
    }

    fn apply(self, b: &mut Builder, x: &Tensor, clip: Option<f64>) -> Outcome<Tensor> {
        let x = &match clip {
            Some(clip) => b.clamp(x, (-clip).into(), clip.into())?,
            None => x.clone(),
        };
        match self {
            Activation::Sigmoid => b.sigmoid(x),
            Activation::Tanh => b.tanh(x),
            Activation::Relu => b.relu(x),
            Activation::Softsign => b.softsign(x),
            Activation::Softplus => b.softplus(x),
            Activation::Affine { alpha, beta } => {
                let y = b.mul_scalar(x, alpha.into())?;
                b.add_scalar(&y, beta.into())
            }
            Activation::LeakyRelu { alpha } => b.leaky_relu(x, alpha),
            Activation::ThresholdedRelu { alpha } => {
                let low = b.lower_elem(x, alpha.into())?;
                b.mask_fill(x, &low, 0.into())
            }
            Activation::ScaledTanh { alpha, beta } => {
                let y = b.mul_scalar(x, beta.into())?;
                let y = b.tanh(&y)?;
                b.mul_scalar(&y, alpha.into())
            }
            Activation::HardSigmoid { alpha, beta } => b.hard_sigmoid(x, alpha, beta),
            Activation::Elu { alpha } => b.elu(x, alpha),
        }
    }
}

/// Formulas of one step.
#[derive(Debug)]
pub(super) enum Cell {
    /// `h' = f(x + h R)`.
    Rnn,
    /// `r, z = f(x + h R)`, `n = g(x + (r h) R)` or (`after`) `g(x + r (h R + b))`, `h' = (1 - z) n + z h`.
    Gru { inner_bias: Option<Tensor>, after: bool },
    /// `i = f(x + h R + p c)`, `f` alike or (`couple`) `1 - i`, `c' = f c + i g(x + h R)`, `o = f(x + h R + p
    /// c')`, `h' = o h(c')`.
    Lstm { peepholes: Option<Tensor>, couple: bool },
}

/// The most steps that are unrolled.
const MOST_STEPS: usize = 1 << 16;

/// A recurrence over all steps of a sequence.
#[derive(Debug)]
pub(super) struct Recurrence<'a> {
    pub(super) cell: &'a Cell,
    pub(super) weight: &'a Tensor,
    pub(super) activations: &'a [Activation],
    /// Bound of the magnitude of what activations are applied to.
    pub(super) clip: Option<f64>,
    /// Whether the last step comes first.
    pub(super) backwards: bool,
}

impl Recurrence<'_> {
    /// Hidden states of all steps, the last one, and the last cell state.
    pub(super) fn unrolled(
        &self,
        b: &mut Builder,
        gates: &Tensor,
        (mut hidden, mut memory): (Tensor, Option<Tensor>),
        lengths: Option<&Tensor>,
    ) -> Outcome<(Tensor, Tensor, Option<Tensor>)> {
        let length = gates.dim(0)?;
        let Some(count) = length.size().filter(|&count| count > 0 && count <= MOST_STEPS) else {
            fail!("the number of steps must be known, and 1 to {MOST_STEPS}, found {length:?}")
        };
        let lengths = lengths.map(|lengths| {
            let lengths = b.convert(lengths, DType::I64)?;
            along(b, &lengths, 0, 2)
        });
        let lengths = lengths.transpose()?;
        let mut steps = Vec::with_capacity(count);
        for place in 0..count {
            b.budget.trip()?;
            let place = if self.backwards { count - 1 - place } else { place };
            let x = item(b, gates, 0, place)?;
            let (mut next, mut next_memory) = self.step(b, &x, &hidden, memory.as_ref())?;
            let mut shown = next.clone();
            if let Some(lengths) = &lengths {
                // A sequence that has ended keeps its state and shows zeros.
                let ended = b.lower_equal_elem(lengths, Expr::from(place))?;
                shown = b.mask_fill(&next, &ended, 0.into())?;
                next = b.mask_where(&next, &ended, &hidden)?;
                if let (Some(new), Some(old)) = (&next_memory, &memory) {
                    next_memory = Some(b.mask_where(new, &ended, old)?);
                }
            }
            (hidden, memory) = (next, next_memory);
            steps.push(b.unsqueeze_dims(&shown, &[0])?);
        }
        if self.backwards {
            steps.reverse();
        }
        let steps = if steps.len() == 1 { steps[0].clone() } else { b.cat(&steps, 0)? };
        Ok((steps, hidden, memory))
    }

    /// The hidden state and the cell state after a step.
    fn step(
        &self,
        b: &mut Builder,
        x: &Tensor,
        hidden: &Tensor,
        memory: Option<&Tensor>,
    ) -> Outcome<(Tensor, Option<Tensor>)> {
        match self.cell {
            Cell::Rnn => {
                let moved = b.matmul(hidden, self.weight)?;
                let sum = b.add(x, &moved)?;
                Ok((self.activate(b, 0, &sum)?, None))
            }
            Cell::Gru { inner_bias, after } => {
                Ok((self.gru_step(b, x, hidden, inner_bias.as_ref(), *after)?, None))
            }
            Cell::Lstm { peepholes, couple } => {
                let Some(memory) = memory else { fail!("a long short-term memory has a cell state") };
                let (hidden, memory) = self.lstm_step(b, x, (hidden, memory), peepholes.as_ref(), *couple)?;
                Ok((hidden, Some(memory)))
            }
        }
    }

    /// The columns of one gate.
    fn gate(&self, b: &mut Builder, x: &Tensor, size: &Expr, gate: usize) -> Outcome<Tensor> {
        part(b, x, 1, size.clone() * gate, size.clone() * (gate + 1))
    }

    fn activate(&self, b: &mut Builder, function: usize, x: &Tensor) -> Outcome<Tensor> {
        self.activations[function].apply(b, x, self.clip)
    }

    fn gru_step(
        &self,
        b: &mut Builder,
        x: &Tensor,
        hidden: &Tensor,
        inner_bias: Option<&Tensor>,
        after: bool,
    ) -> Outcome<Tensor> {
        let size = hidden.dim(1)?;
        let moved = b.matmul(hidden, self.weight)?;
        let whole = |b: &mut Builder, gate: usize| {
            let (own, other) = (self.gate(b, x, &size, gate)?, self.gate(b, &moved, &size, gate)?);
            let sum = b.add(&own, &other)?;
            self.activate(b, 0, &sum)
        };
        let (reset, update) = (whole(b, 0)?, whole(b, 1)?);
        let candidate = if after {
            let mut inner = self.gate(b, &moved, &size, 2)?;
            if let Some(bias) = inner_bias {
                let bias = along(b, bias, 1, 2)?;
                inner = b.add(&inner, &bias)?;
            }
            b.mul(&reset, &inner)?
        } else {
            let kept = b.mul(&reset, hidden)?;
            let own = self.gate(b, self.weight, &size, 2)?;
            b.matmul(&kept, &own)?
        };
        let own = self.gate(b, x, &size, 2)?;
        let sum = b.add(&own, &candidate)?;
        let candidate = self.activate(b, 1, &sum)?;
        // (1 - z) n + z h.
        let difference = b.sub(hidden, &candidate)?;
        let difference = b.mul(&update, &difference)?;
        b.add(&candidate, &difference)
    }

    fn lstm_step(
        &self,
        b: &mut Builder,
        x: &Tensor,
        (hidden, memory): (&Tensor, &Tensor),
        peepholes: Option<&Tensor>,
        couple: bool,
    ) -> Outcome<(Tensor, Tensor)> {
        let size = hidden.dim(1)?;
        let moved = b.matmul(hidden, self.weight)?;
        let sum = b.add(x, &moved)?;
        // Gates `i f g o`; peepholes `i o f`.
        let peep = |b: &mut Builder, gate: usize, peephole: usize, memory: &Tensor| {
            let own = self.gate(b, &sum, &size, gate)?;
            let Some(peepholes) = peepholes else { return Ok(own) };
            let factor = part(b, peepholes, 0, size.clone() * peephole, size.clone() * (peephole + 1))?;
            let factor = along(b, &factor, 1, 2)?;
            let seen = b.mul(memory, &factor)?;
            b.add(&own, &seen)
        };
        let input = peep(b, 0, 0, memory)?;
        let input = self.activate(b, 0, &input)?;
        let forget = if couple {
            let rest = b.neg(&input)?;
            b.add_scalar(&rest, 1.0.into())?
        } else {
            let forget = peep(b, 1, 2, memory)?;
            self.activate(b, 0, &forget)?
        };
        let candidate = self.gate(b, &sum, &size, 2)?;
        let candidate = self.activate(b, 1, &candidate)?;
        let (kept, new) = (b.mul(&forget, memory)?, b.mul(&input, &candidate)?);
        let memory = b.add(&kept, &new)?;
        let output = peep(b, 3, 1, &memory)?;
        let output = self.activate(b, 0, &output)?;
        let shown = self.activations[2].apply(b, &memory, None)?;
        Ok((b.mul(&output, &shown)?, memory))
    }
}
