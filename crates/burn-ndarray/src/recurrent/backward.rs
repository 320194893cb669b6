use super::PACKED_STEPS;
use super::element::{Backward, Element};
use super::pack::Weight;
use super::problem::{Problem, Tile, Tiles};
use crate::backend::NdArray;
use crate::buffer::Buffer;
use crate::cast::cast;
use crate::dtype::wide;
use crate::parallel::{self, Shared};
use crate::product::Matrix;
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, RecurrentGradArgs, RecurrentKind, TensorSpec, reference};

/// See [`RecurrentGradArgs`].
pub fn recurrent_grad(args: RecurrentGradArgs<NdTensor>) -> (NdTensor, NdTensor) {
    if args.kind == RecurrentKind::GruResetBefore {
        return reference::recurrent_grad::<NdArray>(args);
    }
    let dtype = args.grad.spec().dtype;
    let args = args.map(|x| cast(x, wide(dtype)).into_contiguous());
    let (gates, initial) = if wide(dtype) == DType::F64 { typed::<f64>(&args) } else { typed::<f32>(&args) };
    (cast(gates, dtype), cast(initial, dtype))
}

/// Memory of a call.
#[derive(Clone, Copy)]
struct Work<'a, E> {
    problem: Problem<'a>,
    weight: Weight<E>,
    grad: Shared<E>,
    states: Shared<E>,
    activations: Shared<E>,
    /// The state before the first step that gates multiply, if any do.
    initial: Shared<E>,
    gates_grad: Shared<E>,
    /// Gradients of the products of two steps in turns, `[2, batch, gates size]`, where they are not those of the gates.
    products_grad: Option<Shared<E>>,
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
    // SAFETY: the weight has a row for each unit.
    let weight =
        if time < PACKED_STEPS { weight } else { unsafe { weight.packed_back(&tiles, &mut packed) } };
    let own = if *kind == RecurrentKind::Gru { 2 * gates * len } else { 0 };
    let mut products = Buffer::new(own * size_of::<E>());
    let products: &mut [E] = products.as_mut_slice().expect("a new buffer is unique");
    let work = Work {
        problem,
        weight,
        grad: start(grad),
        states: start(states),
        activations: start(activations),
        initial: initial.as_ref().map_or(Shared(core::ptr::null_mut()), start),
        gates_grad: Shared(gates_grad.start_mut().cast::<E>()),
        products_grad: (own > 0).then(|| Shared(products.as_mut_ptr())),
        hidden_grad: carried,
        cell_grad: Shared(carried.get().wrapping_add(len)),
    };
    // The product that belongs to a step is made with the arithmetic of the step before it: one meeting of threads a step.
    for step in (0..=time).rev() {
        parallel::for_ranges(tiles.count(), tiles.cost(gates, gates * size), &|range| {
            for index in range {
                let tile = tiles.get(index);
                // SAFETY: the tensors and the scratch memory are as long as the sizes say, and tiles do not overlap.
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
    }
    (gates_grad, initial_grad)
}

impl<E: Element> Work<'_, E> {
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
    /// All memory is there; nobody else writes to the elements of the tile, nor to the gradients of the products.
    unsafe fn product(&self, step: usize, tile: Tile) {
        let size = self.problem.size;
        let depth = self.problem.gates() * size;
        let Tile { first_row, rows, first_unit, units } = tile;
        let out = self.hidden_grad.get().wrapping_add(first_row * size + first_unit);
        let lhs = self.products_grad(step).wrapping_add(first_row * depth).cast_const();
        let rhs = self.weight.back((first_unit, units));
        let (out, lhs) = (Matrix::new(out, size, 1), Matrix::new(lhs, depth, 1));
        // SAFETY: by the contract.
        unsafe { E::product((rows, units, depth), out, true, lhs, rhs, false) };
    }

    /// The gradients of the gates of some units of a step.
    ///
    /// # Safety
    /// All memory is there; nobody else writes to the elements of the tile.
    unsafe fn tile(&self, step: usize, tile: Tile) {
        let Problem { kind, batch, size, .. } = self.problem;
        let Tile { first_row, rows, first_unit, units } = tile;
        let (gates, time, len) = (kind.gates(), self.problem.time_of(step), self.problem.state_len());
        let kept = kind.activations();
        // Cell states are the fifth of the activations.
        let (from, stride, column) = match kind {
            RecurrentKind::Lstm => (self.activations, kept * size, 4 * size),
            RecurrentKind::Tanh | RecurrentKind::Relu => (self.states, size, 0),
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => (self.states, size, 0),
        };
        for row in 0..rows {
            let sequence = first_row + row;
            let at = sequence * size + first_unit;
            let gate_row = sequence * gates * size + first_unit;
            let gates_grad = self.gates_grad.get().wrapping_add(time * gates * len + gate_row);
            let products_grad = self.products_grad.map(|_| self.products_grad(step).wrapping_add(gate_row));
            if !self.problem.is_active(time, sequence) {
                for place in [Some(gates_grad), products_grad].into_iter().flatten() {
                    // SAFETY: by the contract.
                    (0..gates).for_each(|gate| unsafe { place.add(gate * size).write_bytes(0, units) });
                }
                continue;
            }
            let before = match self.problem.time_before(time, sequence) {
                Some(before) => {
                    from.get().wrapping_add((before * batch + sequence) * stride + column + first_unit)
                }
                None => self.initial.get().wrapping_add(at),
            };
            let activations = (time * batch + sequence) * kept * size + first_unit;
            // SAFETY: by the contract.
            unsafe {
                E::backward(Backward {
                    kind,
                    units,
                    size,
                    grad: self.grad.get().wrapping_add(time * len + at),
                    hidden_grad: self.hidden_grad.get().wrapping_add(at),
                    cell_grad: self.cell_grad.get().wrapping_add(at),
                    state: self.states.get().wrapping_add(time * len + at),
                    before,
                    activations: self.activations.get().wrapping_add(activations),
                    gates_grad,
                    products_grad,
                });
            }
        }
    }
}
