use super::gates_grad::{GateGradPart, GateGradWords, GatesGrad};
use super::network::{Network, columns, entry};
use crate::device::arithmetic::Abilities;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, word};
use crate::ops::elementwise::{cast, wide};
use crate::ops::layout::{contiguous, copy_into, transpose};
use crate::ops::matmul::product_into;
use burn_backend::{HasSpec, RecurrentGradArgs, RecurrentKind};

/// See [`RecurrentGradArgs`]. Halves are computed as `f32` and rounded at the end.
pub fn recurrent_grad(args: RecurrentGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
    let dtype = args.grad.dtype();
    let (gates, initial) = computed(&args.map(|x| contiguous(wide(x))));
    let rounded = |x: CubeTensor| cast(x, dtype);
    (rounded(gates), rounded(initial))
}

fn computed(args: &RecurrentGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
    let RecurrentGradArgs { kind, grad, weight, lengths, reverse, .. } = args;
    let (shape, size) = (grad.shape(), weight.spec().shape[0]);
    let (time, batch) = (shape[0] - kind.states(), shape[1]);
    let network = Network {
        kind: *kind,
        time,
        batch,
        size,
        lengths: lengths.as_deref(),
        reverse: *reverse,
        dtype: grad.dtype(),
        engine: grad.engine(),
        abilities: Abilities::of(grad.engine()),
    };
    let gates_grad = network.room([time, batch, kind.gates() * size]);
    let state_grad = network.room([kind.states(), batch, size]);
    if network.state_len() == 0 {
        return (gates_grad, state_grad);
    }
    // The gradients of the states before the first step are those between the steps before.
    (0..kind.states()).for_each(|state| copy_into(&entry(grad, time + state), &entry(&state_grad, state)));
    let is_gated = *kind == RecurrentKind::Gru;
    let steps = Steps {
        args,
        network,
        lengths: network.lengths(),
        products: network.parts(1),
        products_grad: is_gated.then(|| network.parts(kind.gates())),
        gates_grad,
        state_grad,
    };
    let turned = |x: &CubeTensor| transpose(x.clone());
    if *kind == RecurrentKind::GruResetBefore {
        let [first, second] =
            [(0, 2 * size), (2 * size, size)].map(|(at, count)| turned(&columns(weight, at, count)));
        let inner = network.parts(1);
        steps.each(|at, after| {
            steps.run(GateGradPart::Gates, at, after, &steps.products);
            let gates_grad = entry(&steps.gates_grad, at);
            product_into(&columns(&gates_grad, 2 * size, size), &second, &inner);
            steps.run(GateGradPart::Reset, at, after, &inner);
            product_into(&columns(&gates_grad, 0, 2 * size), &first, &steps.products);
        });
    } else {
        let weight = turned(weight);
        steps.each(|at, after| {
            steps.run(GateGradPart::Gates, at, after, &steps.products);
            let grads = steps.products_grad.clone().unwrap_or_else(|| entry(&steps.gates_grad, at));
            product_into(&grads, &weight, &steps.products);
        });
    }
    if let Some(first) = network.times().next() {
        steps.run(GateGradPart::End, first, Some(first), &steps.products);
    }
    let Steps { gates_grad, state_grad, .. } = steps;
    (gates_grad, state_grad)
}

/// Tensors of all steps.
struct Steps<'a> {
    args: &'a RecurrentGradArgs<CubeTensor>,
    network: Network<'a>,
    lengths: Option<CubeTensor>,
    /// Part of the gradient of the hidden state that went through the product of the step after.
    products: CubeTensor,
    /// Gradient of the products of a step, where it is not that of the gates.
    products_grad: Option<CubeTensor>,
    gates_grad: CubeTensor,
    state_grad: CubeTensor,
}

impl Steps<'_> {
    /// Calls `step` with the time of each step from the last to the first, and that of the step after it.
    fn each(&self, step: impl Fn(usize, Option<usize>)) {
        let mut after = None;
        for at in self.network.times().rev() {
            step(at, after);
            after = Some(at);
        }
    }

    fn run(&self, part: GateGradPart, at: usize, after: Option<usize>, products: &CubeTensor) {
        let Network { kind, time, batch, size, reverse, .. } = self.network;
        let RecurrentGradArgs { grad, states, activations, initial, .. } = self.args;
        let is_first = self.network.times().next() == Some(at);
        let before = match (is_first, reverse) {
            (true, _) => at,
            (false, true) => at + 1,
            (false, false) => at - 1,
        };
        let kernel = GatesGrad {
            kind,
            part,
            has_product: after.is_some() || part == GateGradPart::Reset,
            has_lengths: self.lengths.is_some(),
            starts_late: self.lengths.is_some() && reverse,
            abilities: self.network.abilities,
        };
        let operands = [
            (kernel.has_product(), Some(products)),
            (kernel.has_lengths, self.lengths.as_ref()),
            (kernel.has_grad(), Some(grad)),
            (kernel.has_states(), Some(states)),
            (kernel.has_activations(), Some(activations)),
            (kernel.has_initial(), initial.as_ref()),
        ];
        let inputs: Vec<_> = operands.into_iter().filter_map(|(is_read, x)| x.filter(|_| is_read)).collect();
        let outputs = [
            (true, Some(&self.state_grad)),
            (kernel.has_gates(), Some(&self.gates_grad)),
            (kernel.has_products_grad(), self.products_grad.as_ref()),
        ];
        let outputs: Vec<_> =
            outputs.into_iter().filter_map(|(is_there, x)| x.filter(|_| is_there)).collect();
        let len = self.network.state_len();
        let activation = |at: usize| at * batch * kind.activations() * size;
        let words = GateGradWords {
            count: word(len),
            size: word(size),
            time: word(at),
            after: word(after.unwrap_or(time)),
            state: word(at * len),
            state_before: word(before * len),
            activations: word(activation(at)),
            activations_before: word(activation(before)),
            gates: word(at * batch * kind.gates() * size),
            is_first: u32::from(is_first),
        };
        self.network.launch(kernel, &inputs, &outputs, &words.words());
    }
}
