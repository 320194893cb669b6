//! Without its extras the network is the LSTM of `burn::nn`.

use burn::backend::NdArray;
use burn::nn::{BiLstmConfig, GateController, Linear, LstmConfig, LstmLayer};
use burn::prelude::*;
use burn::tensor::{Distribution, Tolerance};
use modern_lstm::cell::LstmCell;
use modern_lstm::stacked::{StackedLstm, StackedLstmConfig};

type B = NdArray<f64>;

/// Puts the weights of a layer of `burn::nn` side by side, gate after gate.
fn copy(cell: &mut LstmCell<B>, layer: &LstmLayer<B>) {
    let gates = [&layer.input_gate, &layer.forget_gate, &layer.cell_gate, &layer.output_gate];
    let side_by_side = |of: fn(&GateController<B>) -> &Linear<B>| {
        let weights = Tensor::cat(gates.map(|gate| of(gate).weight.val()).to_vec(), 1);
        let bias = |gate| of(gate).bias.as_ref().expect("it was asked for").val();
        (weights, Tensor::cat(gates.map(bias).to_vec(), 0))
    };
    for (to, (weight, bias)) in [
        (&mut cell.input, side_by_side(|gate| &gate.input_transform)),
        (&mut cell.hidden, side_by_side(|gate| &gate.hidden_transform)),
    ] {
        to.weight = to.weight.clone().map(|_| weight);
        to.bias = to.bias.take().map(|old| old.map(|_| bias));
    }
}

fn plain(bidirectional: bool) -> StackedLstm<B> {
    StackedLstmConfig::new(3, 5)
        .with_num_layers(2)
        .with_bidirectional(bidirectional)
        .with_layer_norm(false)
        .with_dropout(0.0)
        .init(&Default::default())
}

fn inputs() -> Tensor<B, 3> {
    Tensor::random([4, 7, 3], Distribution::Normal(0.0, 1.0), &Default::default())
}

#[track_caller]
fn equal(ours: Tensor<B, 3>, theirs: Tensor<B, 3>) {
    ours.into_data().assert_approx_eq::<f64>(&theirs.into_data(), Tolerance::rel_abs(1e-12, 1e-12));
}

#[test]
fn two_layers_of_one_direction_are_those_of_the_library() {
    let mut ours = plain(false);
    let theirs = LstmConfig::new(3, 5, true).with_num_layers(2).init::<B>(&Default::default());
    for (to, layer) in ours.layers.iter_mut().zip(&theirs.layers) {
        copy(&mut to.forward, layer);
    }
    let x = inputs();
    equal(ours.forward(x.clone()), theirs.forward(x, None).0);
}

#[test]
fn two_layers_of_two_directions_are_those_of_the_library() {
    let mut ours = plain(true);
    let theirs = BiLstmConfig::new(3, 5, true).with_num_layers(2).init::<B>(&Default::default());
    for (to, (forward, reverse)) in ours.layers.iter_mut().zip(theirs.forward.iter().zip(&theirs.reverse)) {
        copy(&mut to.forward, forward);
        copy(to.reverse.as_mut().expect("there are two directions"), reverse);
    }
    let x = inputs();
    equal(ours.forward(x.clone()), theirs.forward(x, None).0);
}
