use super::PACKED_STEPS;
use super::element::{Element, Forward};
use super::pack::Weight;
use super::problem::{Problem, Tile, Tiles};
use crate::elements::dtype::wide;
use crate::gemm::matrix::Matrix;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, RecurrentArgs, RecurrentKind, TensorSpec};

/// See [`RecurrentArgs`].
pub fn recurrent(args: RecurrentArgs<NdTensor>) -> (NdTensor, NdTensor) {
    let dtype = args.gates.spec().dtype;
    let args = args.map(|x| cast(x, wide(dtype)).into_contiguous());
    let (states, activations) =
        if wide(dtype) == DType::F64 { typed::<f64>(&args) } else { typed::<f32>(&args) };
    (cast(states, dtype), cast(activations, dtype))
}

/// Memory of a call.
#[derive(Clone, Copy)]
struct RecurrentWorkspace<'a, E> {
    problem: Problem<'a>,
    weight: Weight<E>,
    gates: Shared<E>,
    bias: Option<Shared<E>>,
    /// Hidden states before and after a step, in turns: `[2, batch, size]`.
    hidden: Shared<E>,
    /// Cell state; or the hidden state times the reset gate, where a second product reads that.
    cell: Shared<E>,
    /// Products of a step, tile after tile.
    products: Shared<E>,
    states: Shared<E>,
    activations: Option<Shared<E>>,
}

/// A part of a step that threads do without waiting for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// All of it.
    Whole,
    /// The gates that the second product of [`RecurrentKind::GruResetBefore`] waits for.
    Reset,
    /// The rest of it.
    New,
}

const ONE_PHASE: &[Phase] = &[Phase::Whole];
const TWO_PHASES: &[Phase] = &[Phase::Reset, Phase::New];

fn start<E>(x: &NdTensor) -> Shared<E> {
    Shared(x.start().cast::<E>().cast_mut())
}

fn typed<E: Element>(args: &RecurrentArgs<NdTensor>) -> (NdTensor, NdTensor) {
    let RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations } = args;
    let TensorSpec { shape, dtype } = gates.spec().clone();
    let (time, batch, size) = (shape[0], shape[1], weight.shape()[0]);
    let problem = Problem { kind: *kind, time, batch, size, lengths: lengths.as_deref(), reverse: *reverse };
    let kept = if *keep_activations { kind.activations() } else { 0 };
    let mut states = NdTensor::new(TensorSpec::new([time + kind.states(), batch, size], dtype));
    let mut activations = NdTensor::new(TensorSpec::new([time, batch, kept * size], dtype));
    let len = problem.state_len();
    if len == 0 {
        return (states, activations);
    }
    let tiles = Tiles::new(&problem);
    let weight = Weight::new(weight.start().cast::<E>(), size, kind.gates());
    let mut packed = Buffer::new(0);
    // SAFETY: the weight has a row for each unit.
    let weight = if time < PACKED_STEPS { weight } else { unsafe { weight.packed(&tiles, &mut packed) } };
    let (phases, cells) = match kind {
        RecurrentKind::GruResetBefore => (TWO_PHASES, 1),
        RecurrentKind::Tanh | RecurrentKind::Relu | RecurrentKind::Gru => (ONE_PHASE, 0),
        RecurrentKind::Lstm => (ONE_PHASE, 1),
    };
    let mut scratch = Buffer::new((2 + cells + kind.gates()) * len * size_of::<E>());
    let scratch: &mut [E] = scratch.as_mut_slice().expect("a new buffer is unique");
    let (hidden_place, rest) = scratch.split_at_mut(2 * len);
    let (cell_place, products) = rest.split_at_mut(cells * len);
    hidden_place[..len].copy_from_slice(hidden.slice());
    if let Some(cell) = cell {
        cell_place.copy_from_slice(cell.slice());
    }
    let work = RecurrentWorkspace {
        problem,
        weight,
        gates: start(gates),
        bias: bias.as_ref().map(start),
        hidden: Shared(hidden_place.as_mut_ptr()),
        cell: Shared(cell_place.as_mut_ptr()),
        products: Shared(products.as_mut_ptr()),
        states: Shared(states.start_mut().cast::<E>()),
        activations: (kept > 0).then(|| Shared(activations.start_mut().cast::<E>())),
    };
    for (step, &phase) in (0..time).flat_map(|step| phases.iter().map(move |phase| (step, phase))) {
        parallel::for_ranges(tiles.count(), tiles.cost(kind.gates(), kind.gates() * size), &|range| {
            for index in range {
                // SAFETY: the tensors and the scratch memory are as long as the sizes say, and tiles do not
                // overlap.
                unsafe { work.tile(step, phase, tiles.get(index)) };
            }
        });
    }
    let last = &mut states.as_mut_slice::<E>().expect("a new tensor is unique")[time * len..];
    // No thread works on them any more.
    let (hidden_last, cell_last) = last.split_at_mut(len);
    hidden_last.copy_from_slice(&hidden_place[time % 2 * len..][..len]);
    cell_last.copy_from_slice(&cell_place[..cell_last.len()]);
    (states, activations)
}

impl<E: Element> RecurrentWorkspace<'_, E> {
    /// Some units of a step.
    ///
    /// # Safety
    /// All memory is there; nothing else writes to the elements of the tile.
    unsafe fn tile(&self, step: usize, phase: Phase, tile: Tile) {
        let Problem { kind, batch, size, .. } = self.problem;
        let Tile { first_row, rows, first_unit, units } = tile;
        let (gates, time, len) = (kind.gates(), self.problem.time_of(step), self.problem.state_len());
        let before = self.hidden.get().wrapping_add(step % 2 * len).cast_const();
        let after = self.hidden.get().wrapping_add((step + 1) % 2 * len);
        // Tiles of the rows before have all units, those of the units before the rows of the tile.
        let products = self.products.get().wrapping_add(gates * (first_row * size + first_unit * rows));
        let (factor, multiplied) = match phase {
            Phase::Whole => (before, 0..gates),
            Phase::Reset => (before, 0..2),
            Phase::New => (self.cell.get().cast_const(), 2..3),
        };
        let lhs = Matrix::new(factor.wrapping_add(first_row * size), size, 1);
        for (gate, columns) in self.weight.products(multiplied, units) {
            let out = Matrix::new(products.wrapping_add(gate * units), gates * units, 1);
            let rhs = self.weight.gate(gate, (first_unit, units));
            // SAFETY: by the contract.
            unsafe { E::product((rows, columns, size), out, false, lhs, rhs, false) };
        }
        let kept = kind.activations();
        for row in 0..rows {
            let sequence = first_row + row;
            let at = sequence * size + first_unit;
            let output = self.states.get().wrapping_add(time * len + at);
            let activations = self.activations.map(|activations| {
                activations.get().wrapping_add((time * batch + sequence) * kept * size + first_unit)
            });
            // SAFETY: by the contract.
            unsafe {
                if !self.problem.is_active(time, sequence) {
                    if phase == Phase::Reset {
                        continue;
                    }
                    output.write_bytes(0, units);
                    if let Some(activations) = activations {
                        (0..kept).for_each(|at| activations.add(at * size).write_bytes(0, units));
                    }
                    core::ptr::copy_nonoverlapping(before.add(at), after.add(at), units);
                    continue;
                }
                let step = Forward {
                    kind,
                    units,
                    size,
                    gates: self.gates.get().add((time * batch + sequence) * gates * size + first_unit),
                    products: products.add(row * gates * units),
                    bias: self.bias.map(|bias| bias.get().wrapping_add(first_unit).cast_const()),
                    hidden: before.add(at),
                    cell: self.cell.get().wrapping_add(at),
                    next: after.add(at),
                    activations,
                };
                if phase == Phase::Reset {
                    E::reset(step);
                    continue;
                }
                E::forward(step);
                core::ptr::copy_nonoverlapping(after.add(at).cast_const(), output, units);
            }
        }
    }
}
