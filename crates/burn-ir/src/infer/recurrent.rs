use super::require::{Result, argument, float, same_dtype, same_shape, sized};
use crate::{HasSpec, Outputs, RecurrentArgs, RecurrentGradArgs, RecurrentKind, Shape, TensorSpec};
use alloc::format;

/// Steps, sequences and units of a network.
#[derive(Clone, Copy)]
struct Sizes {
    time: usize,
    batch: usize,
    hidden: usize,
}

impl Sizes {
    /// Those of a hidden state and of a recurrent weight, with `time` steps.
    fn of(kind: RecurrentKind, time: usize, batch: usize, weight: &TensorSpec) -> Result<Self> {
        let columns = |hidden: usize| hidden.checked_mul(kind.gates());
        let hidden = match weight.shape[..] {
            [hidden, found] if columns(hidden) == Some(found) => Some(hidden),
            _ => None,
        };
        argument(hidden.is_some(), || {
            let gates = kind.gates();
            format!("weight: expected [hidden, {gates} hidden], got {:?}", weight.shape)
        })?;
        Ok(Sizes { time, batch, hidden: hidden.unwrap_or_default() })
    }

    fn states(self, kind: RecurrentKind) -> Shape {
        Shape::from([self.time.saturating_add(kind.states()), self.batch, self.hidden])
    }

    fn per_step(self, count: usize) -> Shape {
        Shape::from([self.time, self.batch, count.saturating_mul(self.hidden)])
    }

    fn fits_lengths(self, lengths: Option<&[usize]>) -> Result<()> {
        let Some(lengths) = lengths else { return Ok(()) };
        let Sizes { time, batch, .. } = self;
        argument(lengths.len() == batch, || {
            format!("lengths: expected one for each of {batch} sequences, got {}", lengths.len())
        })?;
        match lengths.iter().enumerate().find(|&(_, &length)| length > time) {
            Some((at, length)) => argument(false, || {
                format!("lengths: expected at most {time} steps, got {length} of sequence {at}")
            }),
            None => Ok(()),
        }
    }
}

fn shaped(what: &str, x: &TensorSpec, dtype: &TensorSpec, shape: &Shape) -> Result<()> {
    same_dtype(dtype, x)?;
    argument(x.shape == *shape, || format!("{what}: expected {shape:?}, got {:?}", x.shape))
}

/// An operand that some kinds have and others have not.
fn present(what: &str, kind: RecurrentKind, found: bool, wanted: bool) -> Result<()> {
    argument(found == wanted, || {
        let (expected, got) = if wanted { ("one", "none") } else { ("none", "one") };
        format!("{what}: expected {expected} of kind {kind:?}, got {got}")
    })
}

pub fn recurrent<T: HasSpec>(args: &RecurrentArgs<T>) -> Result<Outputs<TensorSpec>> {
    let RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, keep_activations, .. } = args;
    let (gates, weight) = (float(gates.spec())?, weight.spec());
    same_dtype(gates, weight)?;
    let steps = <[usize; 3]>::try_from(&gates.shape[..]).ok();
    argument(steps.is_some(), || {
        format!("gates: expected [time, batch, {} hidden], got {:?}", kind.gates(), gates.shape)
    })?;
    let [time, batch, _] = steps.unwrap_or_default();
    let sizes = Sizes::of(*kind, time, batch, weight)?;
    shaped("gates", gates, gates, &sizes.per_step(kind.gates()))?;
    let state = Shape::from([batch, sizes.hidden]);
    shaped("hidden state", hidden.spec(), gates, &state)?;
    present("cell state", *kind, cell.is_some(), *kind == RecurrentKind::Lstm)?;
    if let Some(cell) = cell {
        shaped("cell state", cell.spec(), gates, &state)?;
    }
    if let Some(bias) = bias {
        present("bias", *kind, true, *kind == RecurrentKind::Gru)?;
        shaped("bias", bias.spec(), gates, &[sizes.hidden].into())?;
    }
    sizes.fits_lengths(lengths.as_deref())?;
    let activations = if *keep_activations { kind.activations() } else { 0 };
    let states = TensorSpec { shape: sizes.states(*kind), dtype: gates.dtype };
    let activations = TensorSpec { shape: sizes.per_step(activations), dtype: gates.dtype };
    sized(&states)?;
    sized(&activations)?;
    Ok(Outputs::Two(states, activations))
}

pub fn recurrent_grad<T: HasSpec>(args: &RecurrentGradArgs<T>) -> Result<Outputs<TensorSpec>> {
    let RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, .. } = args;
    let (grad, weight) = (float(grad.spec())?, weight.spec());
    same_dtype(grad, weight)?;
    let steps = match grad.shape[..] {
        [rows, batch, _] => rows.checked_sub(kind.states()).map(|time| (time, batch)),
        _ => None,
    };
    argument(steps.is_some(), || {
        format!("gradient: expected [time + {}, batch, hidden], got {:?}", kind.states(), grad.shape)
    })?;
    let (time, batch) = steps.unwrap_or_default();
    let sizes = Sizes::of(*kind, time, batch, weight)?;
    shaped("gradient", grad, grad, &sizes.states(*kind))?;
    same_dtype(grad, states.spec())?;
    same_shape("gradient and result", &grad.shape, &states.spec().shape)?;
    shaped("activations", activations.spec(), grad, &sizes.per_step(kind.activations()))?;
    let state = Shape::from([batch, sizes.hidden]);
    present("initial state", *kind, initial.is_some(), kind.activations() > 0)?;
    if let Some(initial) = initial {
        shaped("initial state", initial.spec(), grad, &state)?;
    }
    sizes.fits_lengths(lengths.as_deref())?;
    let gates = TensorSpec { shape: sizes.per_step(kind.gates()), dtype: grad.dtype };
    let initial = TensorSpec::new([kind.states(), batch, sizes.hidden], grad.dtype);
    sized(&gates)?;
    sized(&initial)?;
    Ok(Outputs::Two(gates, initial))
}
