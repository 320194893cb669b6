// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::prelude::*;
use burn::tensor::Distribution;

type B = Autodiff<NdArray>;

/// Hyperparameters of a trial.
#[derive(Config, Debug)]
struct TrialConfig {
    learning_rate: f64,
    hidden: usize,
}

/// Trains with the hyperparameters of a trial, and returns the loss on the validation data.
fn validation_loss(trial: &TrialConfig) -> f64 {
    let device = Default::default();
    // The same numbers in every trial.
    B::seed(1);
    let x = Tensor::<B, 2>::random([64, 1], Distribution::Uniform(-1.0, 1.0), &device);
    let y = x.clone().square();
    let (train_x, valid_x) = (x.clone().slice(s![..48]), x.slice(s![48..]));
    let (train_y, valid_y) = (y.clone().slice(s![..48]), y.slice(s![48..]));

    let mut hidden: Linear<B> = LinearConfig::new(1, trial.hidden).init(&device);
    let mut output: Linear<B> = LinearConfig::new(trial.hidden, 1).init(&device);
    let mut optimizers = (SgdConfig::new().init(), SgdConfig::new().init());
    for _ in 0..200 {
        let prediction = output.forward(hidden.forward(train_x.clone()).tanh());
        let mut gradients = (prediction - train_y.clone()).square().mean().backward();
        let of_hidden = GradientsParams::from_module(&mut gradients, &hidden);
        let of_output = GradientsParams::from_module(&mut gradients, &output);
        hidden = optimizers.0.step(trial.learning_rate, hidden, of_hidden);
        output = optimizers.1.step(trial.learning_rate, output, of_output);
    }
    let prediction = output.forward(hidden.forward(valid_x).tanh());
    (prediction - valid_y).square().mean().into_scalar().elem()
}

fn main() {
    let mut best: Option<(f64, TrialConfig)> = None;
    for learning_rate in [1e-4, 1e-2, 0.3] {
        for hidden in [4, 32] {
            let trial = TrialConfig::new(learning_rate, hidden);
            let loss = validation_loss(&trial);
            // A loss that is NaN is never the best.
            if best.as_ref().is_none_or(|(lowest, _)| loss < *lowest) {
                best = Some((loss, trial));
            }
        }
    }
    let (_, trial) = best.expect("there were trials");
    println!("the best learning rate is {}", trial.learning_rate);
}
// ANCHOR_END: program

#[test]
fn x_701_hyperparameter_search() {
    crate::page_output::page_prints!("building-blocks/search.md");
}
