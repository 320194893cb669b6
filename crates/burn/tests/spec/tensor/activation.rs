//! AC: activation functions.

use crate::expect::{exactly, nearly};
use crate::given::float;
use crate::torch;
use burn::tensor::activation;

#[test]
fn ac_001_gelu() {
    nearly(activation::gelu(float::<1>(torch::X)), torch::GELU);
}

#[test]
fn ac_002_hard_sigmoid() {
    nearly(activation::hard_sigmoid(float::<1>(torch::X), 1.0 / 6.0, 0.5), torch::HARD_SIGMOID);
    exactly(activation::hard_sigmoid(float::<1>([-9.0, 0.5, 9.0]), 0.25, 0.5), [0.0, 0.625, 1.0]);
}

#[test]
fn ac_003_leaky_relu() {
    nearly(activation::leaky_relu(float::<1>(torch::X), 0.1), torch::LEAKY_RELU);
}

#[test]
fn ac_004_log_sigmoid_is_stable() {
    nearly(activation::log_sigmoid(float::<1>(torch::X)), torch::LOG_SIGMOID);
    exactly(activation::log_sigmoid(float::<1>([-1e4, 1e4])), [-1e4, 0.0]);
}

#[test]
fn ac_005_log_softmax_is_stable() {
    nearly(activation::log_softmax(float::<2>(torch::MATRIX), 1), torch::LOG_SOFTMAX);
    exactly(activation::log_softmax(float::<1>([1e30, 0.0]), 0), [0.0, -1e30_f32]);
}

#[test]
fn ac_006_mish() {
    nearly(activation::mish(float::<1>(torch::X)), torch::MISH);
}

#[test]
fn ac_007_prelu() {
    nearly(activation::prelu(float::<2>(torch::MATRIX), float([0.1, 0.2, 0.3, 0.4])), torch::PRELU);
    exactly(activation::prelu(float::<1>([-4.0, 4.0]), float([0.25])), [-1.0, 4.0]);
}

#[test]
fn ac_008_quiet_softmax_may_choose_nothing() {
    nearly(activation::quiet_softmax(float::<2>(torch::MATRIX), 1), torch::QUIET_SOFTMAX);
    exactly(activation::quiet_softmax(float::<1>([-1e4, -1e4]), 0), [0.0, 0.0]);
    exactly(activation::quiet_softmax(float::<1>([1e4, 1e4]), 0), [0.5, 0.5]);
}

#[test]
fn ac_009_relu() {
    exactly(activation::relu(float::<1>([-1.0, 0.0, 2.5])), [0.0, 0.0, 2.5]);
}

#[test]
fn ac_010_sigmoid() {
    nearly(activation::sigmoid(float::<1>(torch::X)), torch::SIGMOID);
    exactly(activation::sigmoid(float::<1>([-1e4, 1e4])), [0.0, 1.0]);
}

#[test]
fn ac_011_silu() {
    nearly(activation::silu(float::<1>(torch::X)), torch::SILU);
}

#[test]
fn ac_012_softmax() {
    nearly(activation::softmax(float::<2>(torch::MATRIX), 1), torch::SOFTMAX);
    nearly(activation::softmax(float::<2>(torch::MATRIX), 0), torch::SOFTMAX_0);
    exactly(activation::softmax(float::<1>([1e30, 1e30]), -1), [0.5, 0.5]);
}

#[test]
fn ac_013_softmin() {
    nearly(activation::softmin(float::<2>(torch::MATRIX), 1), torch::SOFTMIN);
}

#[test]
fn ac_014_softplus() {
    nearly(activation::softplus(float::<1>(torch::X), 2.0), torch::SOFTPLUS);
    exactly(activation::softplus(float::<1>([1e4]), 1.0), [1e4]);
}

#[test]
fn ac_015_tanh() {
    nearly(activation::tanh(float::<1>(torch::X)), torch::TANH);
}
