use crate::expect::nearly;
use burn::nn::loss::{CrossEntropyLossConfig, MseLoss, Reduction};
use burn::prelude::*;
use burn::tensor::activation::log_softmax;

type B = burn::backend::NdArray;

#[test]
fn tu_007_cross_entropy() {
    let device = Default::default();
    let logits = Tensor::<B, 2>::from_data(crate::torch::MATRIX, &device);
    let targets = Tensor::<B, 1, Int>::from_data([2, 3], &device);
    let loss = CrossEntropyLossConfig::new().init(&device).forward(logits.clone(), targets.clone());
    let picked = log_softmax(logits, 1).gather(1, targets.unsqueeze_dim(1));
    nearly(loss.clone(), picked.mean().neg().into_data());
    let [first, second] = [crate::torch::LOG_SOFTMAX[0][2], crate::torch::LOG_SOFTMAX[1][3]];
    nearly(loss, [-(first + second) / 2.0]);
}

/// `max(x, 0) - x y + log(1 + e^-|x|)`.
fn bce_with_logits<B: Backend>(logits: Tensor<B, 2>, targets: Tensor<B, 2>) -> Tensor<B, 1> {
    let positive = logits.clone().max_pair(logits.zeros_like());
    let soft = (-logits.clone().abs()).exp().add_scalar(1.0).log();
    (positive - logits * targets + soft).mean()
}

#[test]
fn tu_007_binary_cross_entropy_by_hand() {
    let device = Default::default();
    let logits = Tensor::<B, 2>::from_data([[0.5, -2.0, 80.0]], &device);
    let targets = Tensor::<B, 2>::from_data([[1.0, 0.0, 0.0]], &device);
    let softplus = |x: f64| x.exp().ln_1p();
    nearly(bce_with_logits(logits, targets), [(softplus(-0.5) + softplus(-2.0) + 80.0) / 3.0]);
}

#[test]
fn tu_007_mean_squared_error() {
    let device = Default::default();
    let a = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let b = Tensor::<B, 2>::from_data([[1.5, 2.0], [1.0, 0.0]], &device);
    nearly(MseLoss::new().forward(a, b, Reduction::Mean), [(0.25 + 0.0 + 4.0 + 16.0) / 4.0]);
}
