use crate::fixture::{B, Case};
use burn_core::tensor::{Int, Tensor};
use burn_nn::loss::*;

fn loss<const D: usize>(name: &str, forward: impl Fn(&Case, Tensor<B, D>) -> Tensor<B, 1>) {
    let (case, x) = (Case::of(name), Case::of(name).x::<D>());
    let gradients = case.backward(forward(&case, x.clone()));
    case.gradient("x", &x, &gradients);
}

fn cross_entropy(name: &str, config: CrossEntropyLossConfig) {
    let device = Default::default();
    let targets = Tensor::<B, 1, Int>::from_data([2, 0, 3, 1, 1, 0], &device);
    let layer = config.init(&device);
    loss(name, |_, x| layer.forward(x, targets.clone()));
}

#[test]
fn cross_entropy_agrees_with_torch() {
    let (config, weights) = (CrossEntropyLossConfig::new(), Some(vec![1.0, 0.5, 2.0, 1.5]));
    cross_entropy("cross_entropy", config.clone());
    cross_entropy("cross_entropy_weights", config.clone().with_weights(weights.clone()));
    cross_entropy("cross_entropy_smoothing", config.clone().with_smoothing(Some(0.1)));
    cross_entropy("cross_entropy_pad", config.clone().with_pad_tokens(Some(vec![1])));
    let all = config.with_weights(weights).with_smoothing(Some(0.2)).with_pad_tokens(Some(vec![0]));
    cross_entropy("cross_entropy_all", all);
}

#[test]
fn regression_losses_agree_with_torch() {
    let mse = MseLoss::new();
    loss::<2>("mse_mean", |case, x| mse.forward(x, case.float("target"), Reduction::Mean));
    loss::<2>("mse_sum", |case, x| mse.forward(x, case.float("target"), Reduction::Sum));
    let huber = HuberLossConfig::new(0.7).init();
    loss::<2>("huber", |case, x| huber.forward(x, case.float("target"), Reduction::Auto));
}

#[test]
fn binary_cross_entropy_agrees_with_torch() {
    let device = Default::default();
    let targets = || Tensor::<B, 2, Int>::from_data([[1, 0, 1], [0, 0, 1]], &device);
    let layer = BinaryCrossEntropyLossConfig::new().with_logits(true).init(&device);
    loss("bce_logits", |_, x| layer.forward(x, targets()));
    let layer = BinaryCrossEntropyLossConfig::new().with_weights(Some(vec![1.0, 0.5, 2.0])).init(&device);
    loss("bce", |_, x| layer.forward(x, targets()));
}
