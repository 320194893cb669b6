use super::PACKED_STEPS;
use super::element::{Backward, Element};
use super::pack::Weight;
use super::problem::{Problem, Tile, Tiles};
use crate::elements::dtype::wide;
use crate::gemm::matrix::Matrix;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, RecurrentGradArgs, RecurrentKind, TensorSpec};
use core::ops::Range;

/// See [`RecurrentGradArgs`].
pub fn recurrent_grad(args: RecurrentGradArgs<NdTensor>) -> (NdTensor, NdTensor) {
    let dtype = args.grad.spec().dtype;
    let args = args.map(|x| cast(x, wide(dtype)).into_contiguous());
    let (gates, initial) = if wide(dtype) == DType::F64 { typed::<f64>(&args) } else { typed::<f32>(&args) };
    (cast(gates, dtype), cast(initial, dtype))
}

/// Memory of a call.
#[derive(Clone, Copy)]
struct RecurrentGradWorkspace<'a, E> {
    problem: Problem<'a>,
    weight: Weight<E>,
    grad: Shared<E>,
    states: Shared<E>,
    activations: Shared<E>,
    /// The state before the first step that gates multiply, if any do.
    initial: Shared<E>,
    gates_grad: Shared<E>,
    /// Gradients of the products of two steps in turns, `[2, batch, gates size]`, where they are not those of
    /// the gates.
    products_grad: Option<Shared<E>>,
    /// Gradient of the hidden state times the reset gate, `[batch, size]`, where a second product reads that.
    inner: Shared<E>,
    /// Gradient of the hidden state between two steps.
    hidden_grad: Shared<E>,
    cell_grad: Shared<E>,
}

fn start<E>(x: &NdTensor) -> Shared<E> {
    Shared(x.start().cast::<E>().cast_mut())
}

fn typed<E: Element>(args: &RecurrentGradArgs<NdTensor>) -> (NdTensor, NdTensor) {
    let RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse } = args;
    let TensorSpec { shape, dtype } = grad.spec().clone();
    let (time, batch, size) = (shape[0] - kind.states(), shape[1], shape[2]);
    let problem = Problem { kind: *kind, time, batch, size, lengths: lengths.as_deref(), reverse: *reverse };
    let (gates, len) = (kind.gates(), problem.state_len());
    let mut gates_grad = NdTensor::new(TensorSpec::new([time, batch, gates * size], dtype));
    let mut initial_grad = NdTensor::new(TensorSpec::new([kind.states(), batch, size], dtype));
    if len == 0 {
        return (gates_grad, initial_grad);
    }
    let carried: &mut [E] = initial_grad.as_mut_slice().expect("a new tensor is unique");
    carried.copy_from_slice(&grad.slice::<E>()[time * len..]);
    let carried = Shared(carried.as_mut_ptr());
    let tiles = Tiles::new(&problem);
    let weight = Weight::new(weight.start().cast::<E>(), size, gates);
    let mut packed = Buffer::new(0);
    let weight = if time < PACKED_STEPS {
        weight
    } else {
        // SAFETY: the weight has a row for each unit.
        unsafe { weight.packed_back(&tiles, &mut packed) }
    };
    let own = match kind {
        RecurrentKind::Gru => 2 * gates * len,
        RecurrentKind::GruResetBefore => len,
        RecurrentKind::Tanh | RecurrentKind::Relu | RecurrentKind::Lstm => 0,
    };
    let mut scratch = Buffer::new(own * size_of::<E>());
    let scratch: &mut [E] = scratch.as_mut_slice().expect("a new buffer is unique");
    let scratch = Shared(scratch.as_mut_ptr());
    let work = RecurrentGradWorkspace {
        problem,
        weight,
        grad: start(grad),
        states: start(states),
        activations: start(activations),
        initial: initial.as_ref().map_or(Shared(core::ptr::null_mut()), start),
        gates_grad: Shared(gates_grad.start_mut().cast::<E>()),
        products_grad: (*kind == RecurrentKind::Gru).then_some(scratch),
        inner: scratch,
        hidden_grad: carried,
        cell_grad: Shared(carried.get().wrapping_add(len)),
    };
    // The product that belongs to a step is made with the arithmetic of the step before it: one barrier of
    // threads a step.
    let cost = tiles.cost(gates, gates * size);
    for step in (0..=time).rev() {
        parallel::for_ranges(tiles.count(), cost, &|range| {
            for tile in range.map(|index| tiles.get(index)) {
                // SAFETY: the tensors and the scratch memory are as long as the sizes say, and tiles do not
                // overlap.
                unsafe {
                    if step < time {
                        work.product(step, tile);
                    }
                    if let Some(step) = step.checked_sub(1) {
                        work.tile(step, tile);
                    }
                }
            }
        });
        if let Some(step) = step.checked_sub(1).filter(|_| *kind == RecurrentKind::GruResetBefore) {
            parallel::for_ranges(tiles.count(), cost, &|range| {
                for tile in range.map(|index| tiles.get(index)) {
                    // SAFETY: as above.
                    unsafe { work.reset(step, tile) };
                }
            });
        }
    }
    (gates_grad, initial_grad)
}

impl<E: Element> RecurrentGradWorkspace<'_, E> {
    /// Gradient of the products of a step, from the first sequence on.
    fn products_grad(&self, step: usize) -> *mut E {
        let row = self.problem.gates() * self.problem.size;
        match self.products_grad {
            Some(products) => products.get().wrapping_add(step % 2 * self.problem.batch * row),
            None => {
                let time = self.problem.time_of(step);
                self.gates_grad.get().wrapping_add(time * self.problem.batch * row)
            }
        }
    }

    /// Adds what goes through the products of a step to the gradient of the hidden state before it.
    ///
    /// # Safety
    /// All memory is there; nothing else writes to the elements of the tile, nor to the gradients of the
    /// products.
    unsafe fn product(&self, step: usize, tile: Tile) {
        // The last product of a reset gate that comes first is that of another factor: see `Self::reset`.
        let is_first = self.problem.kind == RecurrentKind::GruResetBefore;
        let gates = 0..if is_first { 2 } else { self.problem.gates() };
        // SAFETY: by the contract.
        unsafe { self.through(gates, step, tile, self.hidden_grad.get(), true) };
    }

    /// Writes, or adds, what goes through the products of some gates to states at `out`.
    ///
    /// # Safety
    /// As for `product`.
    unsafe fn through(&self, gates: Range<usize>, step: usize, tile: Tile, out: *mut E, accumulate: bool) {
        let size = self.problem.size;
        let row = self.problem.gates() * size;
        let Tile { first_row, rows, first_unit, units } = tile;
        let out = out.wrapping_add(first_row * size + first_unit);
        let lhs = self.products_grad(step).wrapping_add(first_row * row + gates.start * size).cast_const();
        let rhs = self.weight.back(gates.start, (first_unit, units));
        let (out, lhs) = (Matrix::new(out, size, 1), Matrix::new(lhs, row, 1));
        // SAFETY: by the contract.
        unsafe { E::product((rows, units, gates.len() * size), out, accumulate, lhs, rhs, false) };
    }

    /// The gradients that go through the second product of a step, where the reset gate stands before it.
    ///
    /// # Safety
    /// As for `product`.
    unsafe fn reset(&self, step: usize, tile: Tile) {
        // SAFETY: by the contract.
        unsafe { self.through(2..3, step, tile, self.inner.get(), false) };
        let time = self.problem.time_of(step);
        for sequence in tile.first_row..tile.first_row + tile.rows {
            if self.problem.is_active(time, sequence) {
                let at = sequence * self.problem.size + tile.first_unit;
                let step = self.step(time, sequence, tile);
                let step = Backward { grad: self.inner.get().wrapping_add(at), ..step };
                // SAFETY: by the contract.
                unsafe { E::reset_backward(step) };
            }
        }
    }

    /// The gradients of the gates of some units of a step.
    ///
    /// # Safety
    /// All memory is there; nothing else writes to the elements of the tile.
    unsafe fn tile(&self, step: usize, tile: Tile) {
        let (gates, size) = (self.problem.gates(), self.problem.size);
        let Tile { first_row, rows, first_unit, units } = tile;
        let time = self.problem.time_of(step);
        for sequence in first_row..first_row + rows {
            let row = sequence * gates * size + first_unit;
            let products_grad = self.products_grad.map(|_| self.products_grad(step).wrapping_add(row));
            let step = Backward { products_grad, ..self.step(time, sequence, tile) };
            if self.problem.is_active(time, sequence) {
                // SAFETY: by the contract.
                unsafe { E::backward(step) };
                continue;
            }
            for place in [Some(step.gates_grad), products_grad].into_iter().flatten() {
                // SAFETY: by the contract.
                (0..gates).for_each(|gate| unsafe { place.add(gate * size).write_bytes(0, units) });
            }
        }
    }

    /// Some units of one sequence at a time.
    fn step(&self, time: usize, sequence: usize, tile: Tile) -> Backward<E> {
        let Problem { kind, batch, size, .. } = self.problem;
        let Tile { first_unit, units, .. } = tile;
        let (gates, kept, len) = (kind.gates(), kind.activations(), self.problem.state_len());
        // Cell states are the fifth of the activations.
        let (from, stride, column) = match kind {
            RecurrentKind::Lstm => (self.activations, kept * size, 4 * size),
            RecurrentKind::Tanh | RecurrentKind::Relu => (self.states, size, 0),
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => (self.states, size, 0),
        };
        let (at, row) = (sequence * size + first_unit, time * batch + sequence);
        let before = match self.problem.time_before(time, sequence) {
            Some(before) => {
                from.get().wrapping_add((before * batch + sequence) * stride + column + first_unit)
            }
            None => self.initial.get().wrapping_add(at),
        };
        Backward {
            kind,
            units,
            size,
            grad: self.grad.get().wrapping_add(time * len + at),
            hidden_grad: self.hidden_grad.get().wrapping_add(at),
            cell_grad: self.cell_grad.get().wrapping_add(at),
            state: self.states.get().wrapping_add(time * len + at),
            before,
            activations: self.activations.get().wrapping_add(row * kept * size + first_unit),
            gates_grad: self.gates_grad.get().wrapping_add(row * gates * size + first_unit),
            products_grad: None,
        }
    }
}
