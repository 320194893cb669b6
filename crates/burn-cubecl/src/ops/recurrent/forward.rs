use super::gates::{GatePart, GateWords, Gates};
use super::network::{Network, columns, entry, with_neighbours};
use crate::device::arithmetic::Abilities;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, word};
use crate::ops::elementwise::{cast, wide};
use crate::ops::layout::{contiguous, copy_into};
use crate::ops::matmul::product_into;
use burn_backend::{HasSpec, RecurrentArgs, RecurrentKind};

/// See [`RecurrentArgs`]. Halves are computed as `f32` and rounded at the end.
pub fn recurrent(args: RecurrentArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
    let dtype = args.gates.dtype();
    let (states, activations) = computed(&args.map(wide));
    let rounded = |x: CubeTensor| cast(x, dtype);
    (rounded(states), rounded(activations))
}

fn computed(args: &RecurrentArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
    let RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations } = args;
    let (shape, size) = (gates.shape(), weight.spec().shape[0]);
    let network = Network {
        kind: *kind,
        time: shape[0],
        batch: shape[1],
        size,
        lengths: lengths.as_deref(),
        reverse: *reverse,
        dtype: gates.dtype(),
        engine: gates.engine(),
        abilities: Abilities::of(gates.engine()),
    };
    let Network { time, batch, .. } = network;
    let kept = if *keep_activations { kind.activations() } else { 0 };
    let states = network.room([time + kind.states(), batch, size]);
    let activations = network.room([time, batch, kept * size]);
    if network.state_len() == 0 {
        return (states, activations);
    }
    // The states after the last step are those between the steps before.
    copy_into(hidden, &entry(&states, time));
    if let Some(cell) = cell {
        copy_into(cell, &entry(&states, time + 1));
    }
    let bias = bias.as_ref().map(|bias| contiguous(bias.clone()));
    let steps = Steps {
        network,
        gates: with_neighbours(gates),
        bias,
        lengths: network.lengths(),
        states,
        activations: (kept > 0).then_some(&activations),
    };
    let between = entry(&steps.states, time);
    if *kind == RecurrentKind::GruResetBefore {
        let [first, second] = [columns(weight, 0, 2 * size), columns(weight, 2 * size, size)];
        let [products, gated, inner] = [2, 1, 1].map(|count| network.parts(count));
        for at in network.times() {
            product_into(&between, &first, &products);
            steps.reset(at, &products, &gated);
            product_into(&gated, &second, &inner);
            steps.run(GatePart::New, at, &[&products, &inner]);
        }
    } else {
        let products = network.parts(kind.gates());
        for at in network.times() {
            product_into(&between, weight, &products);
            steps.run(GatePart::Whole, at, &[&products]);
        }
    }
    let Steps { states, .. } = steps;
    (states, activations)
}

/// Tensors of all steps.
struct Steps<'a> {
    network: Network<'a>,
    gates: CubeTensor,
    bias: Option<CubeTensor>,
    lengths: Option<CubeTensor>,
    states: CubeTensor,
    activations: Option<&'a CubeTensor>,
}

impl Steps<'_> {
    fn kernel(&self, part: GatePart) -> Gates {
        Gates {
            kind: self.network.kind,
            part,
            has_bias: self.bias.is_some(),
            has_lengths: self.lengths.is_some(),
            keeps: self.activations.is_some(),
            abilities: self.network.abilities,
        }
    }

    fn words(&self, at: usize) -> Vec<u32> {
        let Network { kind, time, size, batch, .. } = self.network;
        let (len, kept) =
            (self.network.state_len(), if self.activations.is_some() { kind.activations() } else { 0 });
        let strides = self.gates.strides();
        GateWords {
            count: word(len),
            size: word(size),
            time: word(at),
            projection: word(self.gates.offset().wrapping_add(strides[0].wrapping_mul(at))),
            by_row: word(strides[1]),
            output: word(at * len),
            hidden: word(time * len),
            cell: word((time + 1) * len),
            activations: word(at * batch * kept * size),
        }
        .words()
    }

    /// The arithmetic of a step from its products.
    fn run(&self, part: GatePart, at: usize, products: &[&CubeTensor]) {
        let inputs = [&self.gates].into_iter().chain(products.iter().copied());
        let inputs: Vec<_> = inputs.chain(&self.bias).chain(&self.lengths).collect();
        let outputs: Vec<_> = [&self.states].into_iter().chain(self.activations).collect();
        self.network.launch(self.kernel(part), &inputs, &outputs, &self.words(at));
    }

    /// The hidden state times the reset gate, which the second product reads.
    fn reset(&self, at: usize, products: &CubeTensor, gated: &CubeTensor) {
        let inputs: Vec<_> = [&self.gates, products].into_iter().chain(&self.lengths).collect();
        let outputs: Vec<_> = [&self.states, gated].into_iter().chain(self.activations).collect();
        self.network.launch(self.kernel(GatePart::Reset), &inputs, &outputs, &self.words(at));
    }
}
