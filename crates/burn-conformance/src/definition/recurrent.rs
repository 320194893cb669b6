use super::Expected;
use crate::array::Array;
use crate::number::Number;
use crate::tolerance;
use burn_backend::{HasSpec, RecurrentArgs, RecurrentGradArgs, RecurrentKind, Shape, TensorSpec};

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// A network, and the order of its steps.
struct Network<'a> {
    kind: RecurrentKind,
    weight: &'a Array,
    bias: Option<&'a Array>,
    size: usize,
    time: usize,
    lengths: Option<&'a [usize]>,
    reverse: bool,
}

/// State of one sequence.
#[derive(Clone)]
struct State {
    hidden: Vec<f64>,
    cell: Vec<f64>,
}

impl Network<'_> {
    /// The times of the steps of a sequence, in order.
    fn times(&self, sequence: usize) -> Vec<usize> {
        // Without units there may be more steps than can be counted through.
        let time = if self.size == 0 { 0 } else { self.time };
        let length = self.lengths.map_or(time, |lengths| lengths[sequence].min(time));
        let times = 0..length;
        if self.reverse { times.rev().collect() } else { times.collect() }
    }

    fn weight(&self, row: usize, gate: usize, unit: usize) -> f64 {
        self.weight.at(&[row, gate * self.size + unit]).to_f64()
    }

    /// `(h W)_gate` at one unit.
    fn product(&self, hidden: &[f64], gate: usize, unit: usize) -> f64 {
        hidden.iter().enumerate().map(|(row, h)| h * self.weight(row, gate, unit)).sum()
    }

    /// `W_gate g` at one unit: what the gradient of a product gives the hidden state.
    fn back(&self, grads: &[f64], gate: usize, unit: usize) -> f64 {
        grads.iter().enumerate().map(|(column, grad)| grad * self.weight(unit, gate, column)).sum()
    }

    /// The state after a step, and its activations; `x` is the projection of the input, by gate and unit.
    fn step(&self, x: impl Fn(usize, usize) -> f64, state: &State) -> (State, Vec<Vec<f64>>) {
        let units = 0..self.size;
        let State { hidden, cell } = state;
        let sum = |gate: usize, unit: usize| x(gate, unit) + self.product(hidden, gate, unit);
        let each = |f: &dyn Fn(usize) -> f64| units.clone().map(f).collect::<Vec<f64>>();
        match self.kind {
            RecurrentKind::Tanh => {
                (State { hidden: each(&|u| sum(0, u).tanh()), cell: Vec::new() }, Vec::new())
            }
            RecurrentKind::Relu => {
                // NaN stays NaN.
                let relu = |x: f64| if x < 0.0 { 0.0 } else { x };
                (State { hidden: each(&|u| relu(sum(0, u))), cell: Vec::new() }, Vec::new())
            }
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => {
                let after = self.kind == RecurrentKind::Gru;
                let reset = each(&|u| sigmoid(sum(0, u)));
                let update = each(&|u| sigmoid(sum(1, u)));
                let bias = |u: usize| self.bias.map_or(0.0, |bias| bias.at(&[u]).to_f64());
                let own = each(&|u| self.product(hidden, 2, u) + bias(u));
                let gated: Vec<f64> = hidden.iter().zip(&reset).map(|(h, r)| h * r).collect();
                let inner = |u: usize| if after { reset[u] * own[u] } else { self.product(&gated, 2, u) };
                let new = each(&|u| (x(2, u) + inner(u)).tanh());
                let next = each(&|u| (1.0 - update[u]) * new[u] + update[u] * hidden[u]);
                let mut activations = vec![reset, update, new];
                activations.extend(after.then_some(own));
                (State { hidden: next, cell: Vec::new() }, activations)
            }
            RecurrentKind::Lstm => {
                let [input, forget, output] = [0, 1, 3].map(|gate| each(&|u| sigmoid(sum(gate, u))));
                let new = each(&|u| sum(2, u).tanh());
                let cell = each(&|u| forget[u] * cell[u] + input[u] * new[u]);
                let hidden = each(&|u| output[u] * cell[u].tanh());
                (State { hidden, cell: cell.clone() }, vec![input, forget, new, output, cell])
            }
        }
    }
}

fn row(x: &Array, index: &[usize], start: usize, size: usize) -> Vec<f64> {
    let at = |column: usize| x.at(&[index, &[start + column]].concat()).to_f64();
    (0..size).map(at).collect()
}

fn largest(x: &Array) -> f64 {
    x.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

/// Arrays of results.
struct Results(Array);

impl Results {
    fn new(shape: impl Into<Shape>, like: &Array) -> Self {
        let spec = TensorSpec::new(shape, like.dtype());
        Results(Array { values: vec![Number::Float(0.0); spec.shape.num_elements()], spec })
    }

    fn put(&mut self, index: [usize; 2], start: usize, values: &[f64]) {
        for (column, &value) in values.iter().enumerate() {
            *self.0.at_mut(&[index[0], index[1], start + column]) = Number::Float(value);
        }
    }

    fn expected(self, steps: usize, terms: usize, size: f64) -> Expected {
        let tolerance = tolerance::recurrent(self.0.dtype(), steps, terms, size);
        Expected { array: self.0, tolerance }
    }
}

pub fn recurrent(args: &RecurrentArgs<Array>) -> (Expected, Expected) {
    let RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations } = args;
    let ([time, batch], size) = ([gates.shape()[0], gates.shape()[1]], weight.shape()[0]);
    let lengths = lengths.as_deref();
    let network =
        Network { kind: *kind, weight, bias: bias.as_ref(), size, time, lengths, reverse: *reverse };
    let kept = if *keep_activations { kind.activations() } else { 0 };
    let mut states = Results::new([time + kind.states(), batch, size], gates);
    let mut activations = Results::new([time, batch, kept * size], gates);
    for sequence in 0..batch {
        let cell = cell.as_ref().map_or_else(Vec::new, |cell| row(cell, &[sequence], 0, size));
        let mut state = State { hidden: row(hidden, &[sequence], 0, size), cell };
        for at in network.times(sequence) {
            let x = |gate: usize, unit: usize| gates.at(&[at, sequence, gate * size + unit]).to_f64();
            let (next, made) = network.step(x, &state);
            states.put([at, sequence], 0, &next.hidden);
            for (part, values) in made.iter().enumerate().take(kept) {
                activations.put([at, sequence], part * size, values);
            }
            state = next;
        }
        states.put([time, sequence], 0, &state.hidden);
        if kind.states() > 1 {
            states.put([time + 1, sequence], 0, &state.cell);
        }
    }
    let state = cell.iter().chain([hidden]).map(largest).fold(1.0, f64::max);
    // An unbounded activation may grow from step to step.
    let growth = match kind {
        RecurrentKind::Relu => (1.0 + size as f64 * largest(weight)).powi(time as i32),
        _ => 1.0 + time as f64,
    };
    let floor = (1.0 + largest(gates) + size as f64 * largest(weight) * state) * growth;
    (states.expected(time, size, floor), activations.expected(time, size, floor))
}

pub fn recurrent_grad(args: &RecurrentGradArgs<Array>) -> (Expected, Expected) {
    let RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse } = args;
    let size = weight.shape()[0];
    let (time, batch) = (grad.shape()[0] - kind.states(), grad.shape()[1]);
    let lengths = lengths.as_deref();
    let network = Network { kind: *kind, weight, bias: None, size, time, lengths, reverse: *reverse };
    let mut gates = Results::new([time, batch, kind.gates() * size], grad);
    let mut before = Results::new([kind.states(), batch, size], grad);
    for sequence in 0..batch {
        let times = network.times(sequence);
        let mut hidden = row(grad, &[time, sequence], 0, size);
        let mut cell = match kind.states() {
            1 => vec![0.0; size],
            _ => row(grad, &[time + 1, sequence], 0, size),
        };
        for (step, &at) in times.iter().enumerate().rev() {
            let previous = |x: &Array, start: usize| match step.checked_sub(1) {
                Some(step) => row(x, &[times[step], sequence], start, size),
                None => initial.as_ref().map_or_else(Vec::new, |x| row(x, &[sequence], 0, size)),
            };
            let own = row(grad, &[at, sequence], 0, size);
            let total: Vec<f64> = hidden.iter().zip(own).map(|(x, y)| x + y).collect();
            let part = |at_part: usize| row(activations, &[at, sequence], at_part * size, size);
            let after = row(states, &[at, sequence], 0, size);
            let each = |f: &dyn Fn(usize) -> f64| (0..size).map(f).collect::<Vec<f64>>();
            let slope = |x: f64| x * (1.0 - x);
            let (made, next) = match kind {
                RecurrentKind::Tanh => {
                    let gate = each(&|u| total[u] * (1.0 - after[u] * after[u]));
                    (vec![gate.clone()], each(&|u| network.back(&gate, 0, u)))
                }
                RecurrentKind::Relu => {
                    let gate = each(&|u| if after[u] > 0.0 { total[u] } else { 0.0 });
                    (vec![gate.clone()], each(&|u| network.back(&gate, 0, u)))
                }
                RecurrentKind::Gru | RecurrentKind::GruResetBefore => {
                    let [reset, update, new] = [0, 1, 2].map(part);
                    let old = previous(states, 0);
                    let new_grad = each(&|u| total[u] * (1.0 - update[u]) * (1.0 - new[u] * new[u]));
                    let update_grad = each(&|u| total[u] * (old[u] - new[u]) * slope(update[u]));
                    let (reset_grad, through) = if *kind == RecurrentKind::Gru {
                        let product = part(3);
                        let own_grad = each(&|u| new_grad[u] * reset[u]);
                        let through = each(&|u| network.back(&own_grad, 2, u));
                        (each(&|u| new_grad[u] * product[u] * slope(reset[u])), through)
                    } else {
                        let inner = each(&|u| network.back(&new_grad, 2, u));
                        (each(&|u| inner[u] * old[u] * slope(reset[u])), each(&|u| inner[u] * reset[u]))
                    };
                    let next = each(&|u| {
                        let gates = network.back(&reset_grad, 0, u) + network.back(&update_grad, 1, u);
                        total[u] * update[u] + through[u] + gates
                    });
                    (vec![reset_grad, update_grad, new_grad], next)
                }
                RecurrentKind::Lstm => {
                    let [input, forget, new, output, cells] = [0, 1, 2, 3, 4].map(part);
                    let old = previous(activations, 4 * size);
                    let shown = each(&|u| cells[u].tanh());
                    let through = each(&|u| cell[u] + total[u] * output[u] * (1.0 - shown[u] * shown[u]));
                    let made = vec![
                        each(&|u| through[u] * new[u] * slope(input[u])),
                        each(&|u| through[u] * old[u] * slope(forget[u])),
                        each(&|u| through[u] * input[u] * (1.0 - new[u] * new[u])),
                        each(&|u| total[u] * shown[u] * slope(output[u])),
                    ];
                    cell = each(&|u| through[u] * forget[u]);
                    let next = each(&|u| (0..4).map(|gate| network.back(&made[gate], gate, u)).sum());
                    (made, next)
                }
            };
            for (gate, values) in made.iter().enumerate() {
                gates.put([at, sequence], gate * size, values);
            }
            hidden = next;
        }
        before.put([0, sequence], 0, &hidden);
        if kind.states() > 1 {
            before.put([1, sequence], 0, &cell);
        }
    }
    let step = largest(weight) * (kind.gates() * size) as f64;
    let values = [states, activations].into_iter().chain(initial).map(largest).fold(1.0, f64::max);
    let floor =
        (largest(grad) * (1.0 + time as f64)) * values * values * (1.0 + step).powi(time.min(8) as i32);
    let terms = kind.gates() * size;
    (gates.expected(time, terms, floor), before.expected(time, terms, floor))
}
