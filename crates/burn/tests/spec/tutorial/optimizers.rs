use crate::expect::nearly;
use burn::backend::{Autodiff, NdArray};
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsAccumulator, GradientsParams, Optimizer, SgdConfig};
use burn::prelude::*;

type B = Autodiff<NdArray>;

fn loss(model: &Linear<B>, device: &Device<B>) -> Tensor<B, 1> {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [-1.0, 0.5], [0.25, -2.0]], device);
    let y = Tensor::<B, 2>::from_data([[1.0], [0.0], [-1.0]], device);
    MseLoss::new().forward(model.forward(x), y, Reduction::Mean)
}

fn one_step_lowers_the_loss(mut optimizer: impl Optimizer<Linear<B>, B>) {
    let device = Default::default();
    let model = LinearConfig::new(2, 1).init::<B>(&device);
    let before = loss(&model, &device);
    let grads = GradientsParams::from_grads(before.backward(), &model);
    let model = optimizer.step(1e-3, model, grads);
    let after = loss(&model, &device);
    assert!(after.into_scalar() < before.into_scalar());
}

#[test]
fn tu_009_one_step_of_adam() {
    let config = AdamConfig::new()
        .with_beta_1(0.9)
        .with_beta_2(0.999)
        .with_epsilon(1e-8)
        .with_weight_decay_config(None);
    one_step_lowers_the_loss(config.init());
}

#[test]
fn tu_009_one_step_of_sgd() {
    let momentum = burn::optim::MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: false };
    one_step_lowers_the_loss(SgdConfig::new().with_momentum(Some(momentum)).init());
}

#[test]
fn tu_009_gradients_of_two_batches() {
    let device = Default::default();
    let model = LinearConfig::new(2, 1).init::<B>(&device);
    let mut accumulator = GradientsAccumulator::new();
    for _ in 0..2 {
        let grads = GradientsParams::from_grads(loss(&model, &device).backward(), &model);
        accumulator.accumulate(&model, grads);
    }
    let id = model.weight.id();
    let sum: Tensor<NdArray, 2> = accumulator.grads().get(id).expect("two gradients");
    let one = GradientsParams::from_grads(loss(&model, &device).backward(), &model);
    nearly(sum / 2, one.get::<NdArray, 2>(id).expect("a gradient").into_data());
}
