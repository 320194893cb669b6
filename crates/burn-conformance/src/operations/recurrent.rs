//! Recurrent networks over whole sequences, and their gradients.

use super::*;

/// Checks of [`Family::Recurrent`].
pub struct RecurrentChecks;

impl RecurrentChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &RecurrentArgs<Array>) -> Outputs<Expected> {
        recurrent(args).into()
    }
}

impl OperationChecks for RecurrentChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, args| {
            if args.gates.layout == MemoryLayout::Contiguous && name.ends_with("forward") {
                let args = Args { keep_activations: false, ..args.clone() };
                let name = format!("{name}, nothing kept");
                emit(Case::new(name, dtype, Operation::Recurrent(Recurrent::Recurrent(Box::new(args)))));
            }
            emit(Case::new(name, dtype, Operation::Recurrent(Recurrent::Recurrent(Box::new(args)))));
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let op = |kind| Operation::Recurrent(Recurrent::Recurrent(Box::new(large(kind, dtype))));
        RecurrentKind::ALL.map(op).into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |args| Operation::Recurrent(Recurrent::Recurrent(Box::new(args)));
        let of = |kind| gradients(kind, [-1.3, -0.8]).map(|(name, args)| call(name, op(args)));
        RecurrentKind::ALL.into_iter().flat_map(of).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { kind, dtype, sizes: [time, batch, size], weight, lengths, reverse } =
            RandomArgs::new(calls);
        let gates = calls.exactly([time, batch, kind.gates().saturating_mul(size)].into(), dtype);
        let hidden = calls.exactly([batch, size].into(), dtype);
        let has_cell = (kind == RecurrentKind::Lstm) == calls.random.chance(95);
        let has_bias = (kind == RecurrentKind::Gru && calls.flag()) == calls.random.chance(95);
        let cell = has_cell.then(|| calls.exactly([batch, size].into(), dtype));
        let bias = has_bias.then(|| calls.exactly([size].into(), dtype));
        let keep_activations = calls.flag();
        let args =
            RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations };
        Operation::Recurrent(Recurrent::Recurrent(Box::new(args)))
    }
}

/// Checks of [`Family::RecurrentGrad`].
pub struct RecurrentGradChecks;

impl RecurrentGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &RecurrentGradArgs<Array>) -> Outputs<Expected> {
        recurrent_grad(args).into()
    }
}

impl OperationChecks for RecurrentGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, args| {
            let ([time, batch], size) =
                ([args.gates.data.shape[0], args.gates.data.shape[1]], args.weight.data.shape[0]);
            let grad = spread([time + args.kind.states(), batch, size], dtype, 1.25, -0.75);
            let grad = grad.laid_out(args.gates.layout);
            emit(Case::new(
                name,
                dtype,
                Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(recurrent_grads_of(args, grad)))),
            ));
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let op = |kind: RecurrentKind| {
            let RecurrentArgs { gates, weight, hidden, lengths, reverse, .. } = large(kind, dtype);
            let [time, batch, size] = [gates.shape[0], gates.shape[1], hidden.shape[1]];
            let grad = spec([time + kind.states(), batch, size], dtype);
            let (states, activations) = (grad.clone(), spec([time, batch, kind.activations() * size], dtype));
            let initial = (kind.activations() > 0).then_some(hidden);
            let args =
                RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse };
            Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(args)))
        };
        RecurrentKind::ALL.map(op).into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let of = |kind: RecurrentKind| {
            // The slope of a state that is zero has no difference quotient.
            let is_kinked = kind == RecurrentKind::Relu;
            let low = if is_kinked { [0.5, 0.1] } else { [-1.3, -0.8] };
            // The gradient of a ReLU network reads the sign of the hidden states, that of an LSTM does not
            // read them.
            let is_without = matches!(kind, RecurrentKind::Relu | RecurrentKind::Lstm);
            let without_gradient = is_without.then_some(1);
            gradients(kind, low).map(|(name, args)| {
                let [time, batch, size] =
                    [args.gates.data.shape[0], args.gates.data.shape[1], args.hidden.data.shape[1]];
                let grad = spread([time + kind.states(), batch, size], F, 1.3, -1.1);
                let args = Box::new(recurrent_grads_of(args, grad));
                let call = call(name, Operation::Recurrent(Recurrent::RecurrentGrad(args)));
                GradientCall { without_gradient, ..call }
            })
        };
        RecurrentKind::ALL.into_iter().flat_map(of).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { kind, dtype, sizes: [time, batch, size], weight, lengths, reverse } =
            RandomArgs::new(calls);
        let grad = calls.exactly([time.saturating_add(kind.states()), batch, size].into(), dtype);
        let activations = calls.exactly([time, batch, kind.activations().saturating_mul(size)].into(), dtype);
        let has_initial = (kind.activations() > 0) == calls.random.chance(95);
        let initial = has_initial.then(|| calls.exactly([batch, size].into(), dtype));
        let states = grad.clone();
        let args = RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse };
        Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(args)))
    }
}

type Args = RecurrentArgs<Input>;

/// `[time, batch, size]`: ordinary ones, those of one element or none, tiles that are whole, and those that
/// are not, with and without enough steps for a packed weight.
const SIZES: [[usize; 3]; 9] =
    [[3, 2, 3], [5, 3, 17], [1, 1, 1], [2, 50, 5], [6, 5, 48], [4, 1, 70], [0, 2, 3], [3, 0, 2], [3, 2, 0]];

fn plain(kind: RecurrentKind, [time, batch, size]: [usize; 3], dtype: DType) -> Args {
    let state = |low, high| spread([batch, size], dtype, low, high);
    // Sums of many terms stay where gates are not saturated.
    let range = 1.5 / (size.max(1) as f64).sqrt();
    RecurrentArgs {
        kind,
        gates: spread([time, batch, kind.gates() * size], dtype, -1.75, 2.0),
        weight: spread([size, kind.gates() * size], dtype, -range, range),
        hidden: state(-0.75, 1.0),
        cell: (kind == RecurrentKind::Lstm).then(|| state(1.5, -1.25)),
        bias: None,
        lengths: None,
        reverse: false,
        keep_activations: true,
    }
}

/// Lengths of sequences from none of the steps to all.
fn lengths(time: usize, batch: usize) -> Vec<usize> {
    (0..batch).map(|sequence| (sequence * 2 + 1) % (time + 1)).collect()
}

fn sweep(mut f: impl FnMut(String, DType, Args)) {
    for dtype in floats() {
        for kind in RecurrentKind::ALL {
            for sizes in SIZES {
                let [time, batch, size] = sizes;
                let name = |what: &str| format!("{kind:?} {sizes:?}, {what}");
                f(name("forward"), dtype, plain(kind, sizes, dtype));
                f(name("reverse"), dtype, Args { reverse: true, ..plain(kind, sizes, dtype) });
                for reverse in [false, true] {
                    let lengths = Some(lengths(time, batch));
                    let args = Args { reverse, lengths, ..plain(kind, sizes, dtype) };
                    f(name(&format!("lengths, reverse: {reverse}")), dtype, args);
                }
                if kind == RecurrentKind::Gru {
                    let bias = Some(spread([size], dtype, -0.5, 0.75));
                    f(name("bias"), dtype, Args { bias, ..plain(kind, sizes, dtype) });
                }
            }
            for layout in MemoryLayout::ALL {
                let args = plain(kind, SIZES[0], dtype).map(|x| x.laid_out(layout));
                f(format!("{kind:?} {layout:?}"), dtype, args);
            }
        }
    }
    for kind in RecurrentKind::ALL {
        let lengths = Some(lengths(5, 50));
        let args = Args { lengths, ..plain(kind, [5, 50, 70], DType::F32) };
        f(format!("{kind:?} large"), DType::F32, args);
        f(format!("{kind:?} large"), DType::F64, plain(kind, [4, 3, 70], DType::F64));
    }
}

/// The gradients of a network whose first result has the gradient `grad`.
pub fn recurrent_grads_of(args: Args, grad: Input) -> RecurrentGradArgs<Input> {
    let args = RecurrentArgs { keep_activations: true, ..args };
    let results = RecurrentChecks::evaluate(&args.map_ref(Input::array)).two();
    let [states, activations] = [results.0, results.1].map(|result| Input::new(result.array.to_data()));
    let RecurrentArgs { kind, weight, hidden, cell, lengths, reverse, .. } = args;
    let initial = match kind {
        RecurrentKind::Tanh | RecurrentKind::Relu => None,
        RecurrentKind::Gru | RecurrentKind::GruResetBefore => Some(hidden),
        RecurrentKind::Lstm => cell,
    };
    RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse }
}

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

/// Values of the forward pass that the gradients of a step of one sequence follow from.
struct SavedStep {
    /// Hidden state after the step.
    after: Vec<f64>,
    /// The state before it that gates multiply.
    before: Vec<f64>,
    activations: Vec<Vec<f64>>,
}

/// Derivative of the logistic function where its value is `x`.
fn logistic_slope(x: f64) -> f64 {
    x * (1.0 - x)
}

impl Network<'_> {
    fn each(&self, f: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.size).map(f).collect()
    }

    /// The gradients of the gates, and of the hidden state before the step, by `total`, that of the hidden
    /// state after it. `cell` is the gradient of the cell state after it, and then of that before it.
    fn step_back(&self, saved: &SavedStep, total: &[f64], cell: &mut Vec<f64>) -> (Vec<Vec<f64>>, Vec<f64>) {
        let after = &saved.after;
        match self.kind {
            RecurrentKind::Tanh => {
                let gate = self.each(|u| total[u] * (1.0 - after[u] * after[u]));
                let before = self.each(|u| self.back(&gate, 0, u));
                (vec![gate], before)
            }
            RecurrentKind::Relu => {
                let gate = self.each(|u| if after[u] > 0.0 { total[u] } else { 0.0 });
                let before = self.each(|u| self.back(&gate, 0, u));
                (vec![gate], before)
            }
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => self.gru_back(saved, total),
            RecurrentKind::Lstm => self.lstm_back(saved, total, cell),
        }
    }

    fn gru_back(&self, saved: &SavedStep, total: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let SavedStep { before, activations, .. } = saved;
        let [reset, update, new] = [0, 1, 2].map(|part| &activations[part]);
        let new_grad = self.each(|u| total[u] * (1.0 - update[u]) * (1.0 - new[u] * new[u]));
        let update_grad = self.each(|u| total[u] * (before[u] - new[u]) * logistic_slope(update[u]));
        let (reset_grad, through) = if self.kind == RecurrentKind::Gru {
            let product = &activations[3];
            let own_grad = self.each(|u| new_grad[u] * reset[u]);
            let through = self.each(|u| self.back(&own_grad, 2, u));
            (self.each(|u| new_grad[u] * product[u] * logistic_slope(reset[u])), through)
        } else {
            let inner = self.each(|u| self.back(&new_grad, 2, u));
            let reset_grad = self.each(|u| inner[u] * before[u] * logistic_slope(reset[u]));
            (reset_grad, self.each(|u| inner[u] * reset[u]))
        };
        let hidden = self.each(|u| {
            let gates = self.back(&reset_grad, 0, u) + self.back(&update_grad, 1, u);
            total[u] * update[u] + through[u] + gates
        });
        (vec![reset_grad, update_grad, new_grad], hidden)
    }

    fn lstm_back(&self, saved: &SavedStep, total: &[f64], cell: &mut Vec<f64>) -> (Vec<Vec<f64>>, Vec<f64>) {
        let SavedStep { before, activations, .. } = saved;
        let [input, forget, new, output, cells] = [0, 1, 2, 3, 4].map(|part| &activations[part]);
        let shown = self.each(|u| cells[u].tanh());
        let through = self.each(|u| cell[u] + total[u] * output[u] * (1.0 - shown[u] * shown[u]));
        let gates = vec![
            self.each(|u| through[u] * new[u] * logistic_slope(input[u])),
            self.each(|u| through[u] * before[u] * logistic_slope(forget[u])),
            self.each(|u| through[u] * input[u] * (1.0 - new[u] * new[u])),
            self.each(|u| total[u] * shown[u] * logistic_slope(output[u])),
        ];
        *cell = self.each(|u| through[u] * forget[u]);
        let hidden = self.each(|u| (0..4).map(|gate| self.back(&gates[gate], gate, u)).sum());
        (gates, hidden)
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

fn recurrent(args: &RecurrentArgs<Array>) -> (Expected, Expected) {
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
        RecurrentKind::Tanh | RecurrentKind::Gru | RecurrentKind::GruResetBefore | RecurrentKind::Lstm => {
            1.0 + time as f64
        }
    };
    let floor = (1.0 + largest(gates) + size as f64 * largest(weight) * state) * growth;
    (states.expected(time, size, floor), activations.expected(time, size, floor))
}

fn recurrent_grad(args: &RecurrentGradArgs<Array>) -> (Expected, Expected) {
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
            let part = |part: usize| row(activations, &[at, sequence], part * size, size);
            let saved = SavedStep {
                after: row(states, &[at, sequence], 0, size),
                before: match kind {
                    RecurrentKind::Tanh | RecurrentKind::Relu => Vec::new(),
                    RecurrentKind::Gru | RecurrentKind::GruResetBefore => previous(states, 0),
                    RecurrentKind::Lstm => previous(activations, 4 * size),
                },
                activations: (0..kind.activations()).map(part).collect(),
            };
            let made;
            (made, hidden) = network.step_back(&saved, &total, &mut cell);
            for (gate, values) in made.iter().enumerate() {
                gates.put([at, sequence], gate * size, values);
            }
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

fn large(kind: RecurrentKind, dtype: DType) -> RecurrentArgs<TensorSpec> {
    let (time, batch, size) = (20, 24, 100);
    let gates = spec([time, batch, kind.gates() * size], dtype);
    let (weight, hidden) = (spec([size, kind.gates() * size], dtype), spec([batch, size], dtype));
    let cell = (kind == RecurrentKind::Lstm).then(|| hidden.clone());
    let (bias, lengths, reverse, keep_activations) = (None, None, false, true);
    RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations }
}

/// Returns the operands of runs in both directions, some with lengths, and their names. Inputs and weights
/// begin at these values.
fn gradients(kind: RecurrentKind, [low, low_weight]: [f64; 2]) -> [(String, RecurrentArgs<Input>); 4] {
    let (time, batch, size) = (3, 2, 2);
    let state = |low, high| spread([batch, size], F, low, high);
    let runs = [(None, false), (None, true), (Some(vec![3, 1]), false), (Some(vec![2, 3]), true)];
    runs.map(|(lengths, reverse): (Option<Vec<usize>>, bool)| {
        let args = RecurrentArgs {
            kind,
            gates: spread([time, batch, kind.gates() * size], F, low, 1.6),
            weight: spread([size, kind.gates() * size], F, 1.1, low_weight),
            hidden: state(0.2, 0.9),
            cell: (kind == RecurrentKind::Lstm).then(|| state(0.8, -0.7)),
            bias: (kind == RecurrentKind::Gru).then(|| spread([size], F, -0.4, 0.7)),
            lengths,
            reverse,
            keep_activations: true,
        };
        (format!("{kind:?}, lengths {:?}, reverse: {reverse}", args.lengths), args)
    })
}

/// Operand and arguments that a random call chooses from.
struct RandomArgs {
    kind: RecurrentKind,
    dtype: DType,
    /// Numbers of steps, of sequences and of hidden units.
    sizes: [usize; 3],
    weight: TensorSpec,
    lengths: Option<Vec<usize>>,
    reverse: bool,
}

impl RandomArgs {
    fn new(calls: &mut Calls<'_>) -> Self {
        let kind = calls.random.pick(&RecurrentKind::ALL);
        let dtype = calls.float().dtype;
        let sizes = [4, 3, 3].map(|most| calls.random.number(most));
        let [time, batch, size] = sizes;
        let weight = calls.exactly([size, kind.gates().saturating_mul(size)].into(), dtype);
        let lengths = calls.flag().then(|| {
            let count = if calls.random.chance(90) { batch.min(1024) } else { 2 };
            (0..count).map(|_| calls.random.number(time)).collect()
        });
        RandomArgs { kind, dtype, sizes, weight, lengths, reverse: calls.flag() }
    }
}
