//! NN, X: recurrent layers.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU, float, int};
use burn::backend::{Autodiff, NdArray, Profile};
use burn::module::{AutodiffModule, Initializer, Module, ModuleVisitor, ParamId};
use burn::nn::{
    BiGru, BiGruConfig, BiLstm, BiLstmConfig, BiRnn, BiRnnConfig, GateController, Gru, GruConfig, GruLayer,
    Linear, Lstm, LstmConfig, LstmState, Rnn, RnnConfig, RnnNonlinearity,
};
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Shape, Tensor, TensorData};

/// Values that look random and are the same everywhere.
fn ramp<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let count = Shape::new(shape).num_elements() as i64;
    ((Tensor::<B, 1, Int>::arange(0..count, CPU) * 7 % 11 - 5).float() / 4)
        .reshape(shape.map(|size| size as i64))
}

/// A linear layer as numbers.
struct Affine {
    weight: Vec<Vec<f64>>,
    bias: Vec<f64>,
}

impl Affine {
    fn new(linear: &Linear<B>) -> Self {
        let [rows, columns] = linear.weight.dims();
        let values = linear.weight.val().into_data().to_f64();
        let weight = (0..rows).map(|row| values[row * columns..][..columns].to_vec()).collect();
        let bias = linear.bias.as_ref().map_or(vec![0.0; columns], |bias| bias.val().into_data().to_f64());
        Affine { weight, bias }
    }

    fn of(&self, x: &[f64]) -> Vec<f64> {
        let sum = |unit: usize| x.iter().zip(&self.weight).map(|(x, row)| x * row[unit]).sum::<f64>();
        self.bias.iter().enumerate().map(|(unit, bias)| bias + sum(unit)).collect()
    }
}

/// A gate as numbers.
struct Gate {
    input: Affine,
    hidden: Affine,
}

impl Gate {
    fn new(gate: &GateController<B>) -> Self {
        Gate { input: Affine::new(&gate.input_transform), hidden: Affine::new(&gate.hidden_transform) }
    }

    fn of(&self, x: &[f64], hidden: &[f64], activation: fn(f64) -> f64) -> Vec<f64> {
        let sums = self.input.of(x).into_iter().zip(self.hidden.of(hidden));
        sums.map(|(x, h)| activation(x + h)).collect()
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn relu(x: f64) -> f64 {
    x.max(0.0)
}

/// Steps of one sequence as numbers, `[time, d_input]`.
fn steps(x: Tensor<B, 3>) -> Vec<Vec<f64>> {
    let [batch, _, size] = x.dims();
    assert_eq!(batch, 1);
    x.into_data().to_f64().chunks(size).map(<[f64]>::to_vec).collect()
}

/// `[1, time, d_hidden]`.
fn sequence(rows: &[Vec<f64>]) -> TensorData {
    TensorData::new(rows.concat(), [1, rows.len(), rows[0].len()])
}

fn parameters<M: Module<B>>(module: &M) -> Vec<f64> {
    struct Values(Vec<f64>);
    impl ModuleVisitor<B> for Values {
        fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
            self.0.extend(tensor.to_data().to_f64());
        }
    }
    let mut values = Values(Vec::new());
    module.visit(&mut values);
    values.0
}

/// Like `torch.nn.RNNBase.reset_parameters`: uniform in `±1 / sqrt(d_hidden)`, with a standard deviation of
/// that by `sqrt(3)`.
#[track_caller]
fn starts_like_pytorch<M: Module<B>>(module: &M, d_hidden: usize, count: usize) {
    let (values, limit) = (parameters(module), 1.0 / (d_hidden as f64).sqrt());
    assert_eq!(values.len(), count);
    assert!(values.iter().all(|value| value.abs() <= limit));
    let variance = values.iter().map(|value| value * value).sum::<f64>() / count as f64;
    assert!((variance.sqrt() / limit - 1.0 / f64::sqrt(3.0)).abs() < 0.02, "{}", variance.sqrt() / limit);
}

#[test]
fn nn_025_gru_goes_by_the_formulas_of_pytorch() {
    B::seed(3);
    for reset_after in [true, false] {
        let gru: Gru<B> = GruConfig::new(3, 4, true).with_reset_after(reset_after).init(CPU);
        let x = ramp([1, 5, 3]);
        let layer = &gru.layers[0];
        let [reset, update, new] = [&layer.reset_gate, &layer.update_gate, &layer.new_gate].map(Gate::new);
        let (mut h, mut expected) = (vec![0.0; 4], Vec::new());
        for x in steps(x.clone()) {
            let (r, z) = (reset.of(&x, &h, sigmoid), update.of(&x, &h, sigmoid));
            let times = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).collect::<Vec<_>>();
            let inner = match reset_after {
                true => times(&r, &new.hidden.of(&h)),
                false => new.hidden.of(&times(&r, &h)),
            };
            let n = new.input.of(&x).into_iter().zip(inner).map(|(x, h)| (x + h).tanh());
            h = n.zip(&z).zip(&h).map(|((n, z), h)| (1.0 - z) * n + z * h).collect();
            expected.push(h.clone());
        }
        let (y, state) = gru.forward(x, None);
        nearly(y, sequence(&expected));
        nearly(state, sequence(&expected[4..]));
    }
    starts_like_pytorch(&GruConfig::new(30, 40, true).init::<B>(CPU), 40, 3 * 40 * (30 + 40 + 2));
    starts_like_pytorch(&GruConfig::new(30, 40, false).init::<B>(CPU), 40, 3 * 40 * (30 + 40));
}

#[test]
fn nn_026_lstm_goes_by_the_formulas_of_pytorch() {
    B::seed(4);
    let lstm: Lstm<B> = LstmConfig::new(3, 4, true).init(CPU);
    let x = ramp([1, 5, 3]);
    let layer = &lstm.layers[0];
    let gates = [&layer.input_gate, &layer.forget_gate, &layer.cell_gate, &layer.output_gate];
    let [input, forget, new, output] = gates.map(Gate::new);
    let (mut h, mut c, mut expected) = (vec![0.0; 4], vec![0.0; 4], Vec::new());
    for x in steps(x.clone()) {
        let [i, f, o] = [&input, &forget, &output].map(|gate| gate.of(&x, &h, sigmoid));
        let g = new.of(&x, &h, f64::tanh);
        c = (0..4).map(|unit| f[unit] * c[unit] + i[unit] * g[unit]).collect();
        h = (0..4).map(|unit| o[unit] * c[unit].tanh()).collect();
        expected.push(h.clone());
    }
    let (y, state) = lstm.forward(x.clone(), None);
    nearly(y.clone(), sequence(&expected));
    nearly(state.hidden, sequence(&expected[4..]));
    nearly(state.cell, sequence(&[c]));

    // The state of a part is where the next part goes on.
    let (_, state) = lstm.forward(x.clone().narrow(1, 0, 2), None);
    let (rest, _) = lstm.forward(x.clone().narrow(1, 2, 3), Some(state));
    nearly(rest, sequence(&expected[2..]));
    // The other order of batch and sequence.
    let turned = Lstm { batch_first: false, ..lstm };
    nearly(turned.forward(x.swap_dims(0, 1), None).0.swap_dims(0, 1), y.into_data());
    starts_like_pytorch(&LstmConfig::new(30, 40, true).init::<B>(CPU), 40, 4 * 40 * (30 + 40 + 2));
}

#[test]
fn nn_027_bi_lstm_is_one_network_in_each_direction() {
    B::seed(5);
    let both: BiLstm<B> = BiLstmConfig::new(3, 4, true).init(CPU);
    let config = LstmConfig::new(3, 4, true);
    let forward = Lstm { layers: both.forward.clone(), ..config.init(CPU) };
    let reverse = Lstm { layers: both.reverse.clone(), ..config.init(CPU) };
    let x = ramp([2, 5, 3]);
    let (y, state) = both.forward(x.clone(), None);
    let (there, first) = forward.forward(x.clone(), None);
    let (back, second) = reverse.forward(x.flip([1]), None);
    nearly(y, Tensor::cat(vec![there, back.flip([1])], 2).into_data());
    nearly(state.hidden, Tensor::cat(vec![first.hidden, second.hidden], 0).into_data());
    nearly(state.cell, Tensor::cat(vec![first.cell, second.cell], 0).into_data());
}

#[test]
fn nn_027_bi_lstm_begins_at_the_last_step_of_each_sequence() {
    let both: BiLstm<B> = BiLstmConfig::new(3, 4, true).with_num_layers(2).init(CPU);
    let x = ramp([2, 5, 3]);
    let (y, state) = both.forward_packed(x.clone(), [5, 2], None);
    let (short, short_state) = both.forward(x.slice([1..2, 0..2]), None);
    nearly(y.clone().slice([1..2, 0..2]), short.into_data());
    exactly(y.slice([1..2, 2..5]), Tensor::<B, 3>::zeros([1, 3, 8], CPU).into_data());
    nearly(state.hidden.narrow(1, 1, 1), short_state.hidden.into_data());
    nearly(state.cell.narrow(1, 1, 1), short_state.cell.into_data());
}

#[test]
fn nn_028_gate_controller_has_the_weights_of_a_gate() {
    let gate: GateController<B> = GateController::new(2, 3, true, Initializer::Constant { value: 0.5 }, CPU);
    assert_eq!(gate.input_transform.weight.dims(), [2, 3]);
    assert_eq!(gate.hidden_transform.weight.dims(), [3, 3]);
    let (x, hidden) = (float::<2>([[1.0, 2.0]]), float::<2>([[1.0, -1.0, 4.0]]));
    exactly(gate.gate_product(x, hidden), [[4.5, 4.5, 4.5]]);

    // A layer computes with what its gates are given: without weights, the forget and input gates let one
    // half pass.
    let mut lstm: Lstm<B> = LstmConfig::new(2, 3, true).with_initializer(Initializer::Zeros).init(CPU);
    lstm.layers[0].cell_gate = GateController::new(2, 3, true, Initializer::Constant { value: 9.0 }, CPU);
    let state = LstmState::new(Tensor::ones([1, 1, 3], CPU), Tensor::zeros([1, 1, 3], CPU));
    let (_, state) = lstm.forward(Tensor::ones([1, 1, 2], CPU), Some(state));
    nearly(state.cell, [[[1.0, 1.0, 1.0]]]);
    nearly(state.hidden, [[[0.5 * 1.0_f64.tanh(); 3]]]);
}

#[test]
fn x_201_rnn_has_two_activations() {
    B::seed(6);
    for nonlinearity in [RnnNonlinearity::Tanh, RnnNonlinearity::Relu] {
        let activation = match nonlinearity {
            RnnNonlinearity::Tanh => f64::tanh,
            RnnNonlinearity::Relu => relu,
        };
        let rnn: Rnn<B> = RnnConfig::new(3, 4, true).with_nonlinearity(nonlinearity).init(CPU);
        let x = ramp([1, 5, 3]);
        let gate = Gate::new(&rnn.layers[0]);
        let (mut h, mut expected) = (vec![0.0; 4], Vec::new());
        for x in steps(x.clone()) {
            h = gate.of(&x, &h, activation);
            expected.push(h.clone());
        }
        let (y, state) = rnn.forward(x, None);
        nearly(y, sequence(&expected));
        nearly(state, sequence(&expected[4..]));
    }
}

#[test]
fn x_201_bi_rnn_and_bi_gru_go_in_both_directions() {
    let x = ramp([2, 5, 3]);
    let ends = |there: Tensor<B, 3>, back: Tensor<B, 3>| Tensor::cat(vec![there, back.flip([1])], 2);
    let both: BiRnn<B> = BiRnnConfig::new(3, 4, true).with_nonlinearity(RnnNonlinearity::Relu).init(CPU);
    let config = RnnConfig::new(3, 4, true).with_nonlinearity(RnnNonlinearity::Relu);
    let of = |layers: &[GateController<B>], x: Tensor<B, 3>| {
        Rnn { layers: layers.to_vec(), ..config.init(CPU) }.forward(x, None)
    };
    let (there, first) = of(&both.forward, x.clone());
    let (back, second) = of(&both.reverse, x.clone().flip([1]));
    let (y, state) = both.forward(x.clone(), None);
    nearly(y, ends(there, back).into_data());
    nearly(state, Tensor::cat(vec![first, second], 0).into_data());

    let both: BiGru<B> = BiGruConfig::new(3, 4, true).with_reset_after(false).init(CPU);
    let config = GruConfig::new(3, 4, true).with_reset_after(false);
    let of = |layers: &[GruLayer<B>], x: Tensor<B, 3>| {
        Gru { layers: layers.to_vec(), ..config.init(CPU) }.forward(x, None)
    };
    let (there, first) = of(&both.forward, x.clone());
    let (back, second) = of(&both.reverse, x.clone().flip([1]));
    let (y, state) = both.forward(x, None);
    nearly(y, ends(there, back).into_data());
    nearly(state, Tensor::cat(vec![first, second], 0).into_data());
}

#[test]
fn x_201_multi_layer_recurrent_nets_are_layers_on_top_of_each_other() {
    let deep: Gru<B> = GruConfig::new(3, 4, true).with_num_layers(2).init(CPU);
    let x = ramp([2, 5, 3]);
    let one = |layer: usize, d_input: usize| Gru {
        layers: vec![deep.layers[layer].clone()],
        ..GruConfig::new(d_input, 4, true).init(CPU)
    };
    let (lower, lower_state) = one(0, 3).forward(x.clone(), None);
    let (upper, upper_state) = one(1, 4).forward(lower, None);
    let (y, state) = deep.forward(x, None);
    nearly(y, upper.into_data());
    nearly(state, Tensor::cat(vec![lower_state, upper_state], 0).into_data());
}

#[test]
fn x_201_multi_layer_recurrent_nets_drop_out_between_layers_while_training() {
    type Tracked = Autodiff<NdArray>;
    let config = LstmConfig::new(3, 4, true).with_num_layers(2).with_dropout(1.0);
    let lstm: Lstm<Tracked> = config.init(CPU);
    let x = Tensor::<Tracked, 3>::from_data(ramp([2, 5, 3]).into_data(), CPU);
    // The second layer reads nothing but zeros, whatever the input is.
    let (y, state) = lstm.forward(x.clone(), None);
    let (other, _) = lstm.forward(x.clone() * 3.0, None);
    exactly(y.clone(), other.into_data());
    assert!(state.hidden.narrow(0, 0, 1).abs().max().into_scalar() > 0.0);
    let valid = lstm.valid();
    let (y, _) = valid.forward(x.clone().inner(), None);
    let (other, _) = valid.forward(x.inner() * 3.0, None);
    assert!((y - other).abs().max().into_scalar() > 1e-3);
}

#[test]
fn x_210_recurrent_layers_are_one_operation_forward_and_one_backward() {
    // A backend that no other test counts on.
    type Profiled = Profile<NdArray<f64, i32>>;
    type Counted = Autodiff<Profiled>;
    let counts = |time: usize| {
        let gru: Gru<Counted> = GruConfig::new(3, 4, true).init(CPU);
        Profiled::reset();
        let (y, _) = gru.forward(Tensor::ones([2, time, 3], CPU), None);
        let _gradients = y.sum().backward();
        let rows = Profiled::report().by_name();
        rows.iter().map(|row| (row.name.to_string(), row.count)).collect::<Vec<_>>()
    };
    let mut few = counts(3);
    few.sort();
    for name in ["recurrent", "recurrent_grad"] {
        assert!(few.contains(&(name.into(), 1)), "{few:?}");
    }
    let mut many = counts(30);
    many.sort();
    assert_eq!(few, many, "the number of calls does not grow with the sequence");
}

#[test]
fn x_211_recurrent_configs_refuse_impossible_values() {
    let message = |result: Result<Lstm<B>, burn::config::ConfigError>| result.unwrap_err().to_string();
    let config = |d_input, d_hidden| LstmConfig::new(d_input, d_hidden, true);
    assert_eq!(
        message(config(0, 4).try_init(CPU)),
        "LstmConfig: invalid `d_input`; expected at least 1, got 0"
    );
    assert_eq!(
        message(config(3, 0).try_init(CPU)),
        "LstmConfig: invalid `d_hidden`; expected at least 1, got 0"
    );
    assert_eq!(
        message(config(3, 4).with_num_layers(0).try_init(CPU)),
        "LstmConfig: invalid `num_layers`; expected at least 1, got 0"
    );
    assert_eq!(
        message(config(3, 4).with_dropout(1.5).try_init(CPU)),
        "LstmConfig: invalid `dropout`; expected a number in [0, 1], got 1.5"
    );
    let error = BiGruConfig::new(3, 0, true).try_init::<B>(CPU).unwrap_err().to_string();
    assert_eq!(error, "BiGruConfig: invalid `d_hidden`; expected at least 1, got 0");
}

#[test]
fn x_211_recurrent_layers_name_the_input_that_does_not_fit() {
    let lstm: Lstm<B> = LstmConfig::new(3, 4, true).init(CPU);
    let starts = |error: burn::tensor::TensorError, message: &str| {
        assert!(error.to_string().starts_with(message), "{error}");
    };
    let x = || ramp([2, 5, 3]);
    starts(
        lstm.try_forward(ramp([2, 5, 7]), None).unwrap_err(),
        "lstm: wrong last dimension of the input; expected [.., 3], got [2, 5, 7]",
    );
    starts(
        lstm.try_forward_packed(x(), [5, 6], None).unwrap_err(),
        "lstm: wrong `lengths`; expected 0 to 5, the sequence length of the input, got 6 for sequence 1",
    );
    starts(
        lstm.try_forward_packed(x(), int::<1>([5, -1]), None).unwrap_err(),
        "lstm: wrong `lengths`; expected 0 to 5, the sequence length of the input, got -1 for sequence 1",
    );
    starts(
        lstm.try_forward_packed(x(), [5], None).unwrap_err(),
        "lstm: wrong number of `lengths`; expected 2, one for each sequence, got 1",
    );
    let state = LstmState::new(ramp([1, 2, 4]), ramp([1, 3, 4]));
    starts(
        lstm.try_forward(x(), Some(state)).unwrap_err(),
        "lstm: wrong shape of the hidden state; expected [1, 2, 4]",
    );
    let bi: BiGru<B> = BiGruConfig::new(3, 4, true).init(CPU);
    starts(
        bi.try_forward(x(), Some(ramp([1, 2, 4]))).unwrap_err(),
        "bi_gru: wrong shape of the hidden state; expected [2, 2, 4]",
    );
}
