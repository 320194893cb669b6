//! NN: normalisation, embedding.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU, float, int};
use crate::torch;
use burn::backend::{Autodiff, NdArray};
use burn::module::{AutodiffModule, Param};
use burn::nn::{
    BatchNorm, BatchNormConfig, EmbeddingConfig, GroupNormConfig, LayerNormConfig, PReluConfig, RmsNormConfig,
};
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Shape, Tensor};

type A = Autodiff<NdArray>;

/// The numbers of the function of the same name in `scripts/spec_fixtures.py`.
fn ramp<B: Backend, const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let count = Shape::new(shape).num_elements() as i64;
    let steps = Tensor::<B, 1, Int>::arange(0..count, &Default::default());
    ((steps * 7 % 11 - 5).float() / 4).reshape(shape.map(|size| size as i64))
}

#[test]
fn nn_002_embedding() {
    let mut embedding = EmbeddingConfig::new(3, 2).init::<B>(CPU);
    assert_eq!(embedding.weight.dims(), [3, 2]);
    embedding.weight = Param::from_data([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], CPU);
    exactly(embedding.forward(int([[2, 0], [1, 2]])), [[[4.0, 5.0], [0.0, 1.0]], [[2.0, 3.0], [4.0, 5.0]]]);
}

fn normalised<B: Backend, const D: usize>(norm: &BatchNorm<B>, shape: [usize; D]) -> Vec<f64> {
    norm.forward(ramp::<B, D>(shape)).into_data().iter().collect()
}

#[test]
fn nn_004_batch_norm_of_any_rank() {
    // While training each channel has mean 0 and variance n / (n + epsilon).
    let norm = BatchNormConfig::new(3).init::<A>(CPU);
    nearly(norm.forward(ramp([4, 3])), torch::BATCH_NORM_2D);
    nearly(norm.forward(ramp([2, 3, 4])), torch::BATCH_NORM_3D);
    for values in [normalised(&norm, [2, 3, 4, 5]), normalised(&norm, [2, 3, 2, 2, 3])] {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-3, "{mean} {variance}");
    }
}

#[test]
fn nn_004_batch_norm_remembers_what_it_saw() {
    let norm = BatchNormConfig::new(3).init::<A>(CPU);
    let _ = norm.forward(ramp::<A, 3>([2, 3, 4]));
    // PyTorch in eval mode, after one batch.
    nearly(norm.valid().forward(ramp([4, 3])), torch::BATCH_NORM_EVAL);
}

#[test]
fn nn_005_layer_norm() {
    let mut norm = LayerNormConfig::new(4).init::<B>(CPU);
    nearly(norm.forward(float::<2>(torch::MATRIX)), torch::LAYER_NORM);
    norm.gamma = Param::from_data([1.0, 2.0, 3.0, 4.0], CPU);
    let scaled = norm.forward(float::<2>(torch::MATRIX));
    nearly(
        scaled,
        Tensor::from_data([[1.0, 2.0, 3.0, 4.0]], CPU).mul(float::<2>(torch::LAYER_NORM)).into_data(),
    );
}

#[test]
fn nn_006_group_norm() {
    let norm = GroupNormConfig::new(2, 4).init::<B>(CPU);
    nearly(norm.forward(ramp([2, 4, 3])), torch::GROUP_NORM);
}

#[test]
fn nn_008_rms_norm() {
    let norm = RmsNormConfig::new(4).with_epsilon(1e-5).init::<B>(CPU);
    // x / sqrt(mean(x^2) + epsilon)
    let expected = torch::MATRIX.map(|row| {
        let root = f64::sqrt(row.iter().map(|x| x * x).sum::<f64>() / 4.0 + 1e-5);
        row.map(|x| x / root)
    });
    nearly(norm.forward(float::<2>(torch::MATRIX)), expected);
}

#[test]
fn nn_012_prelu() {
    let mut layer = PReluConfig::new().with_num_parameters(4).init::<B>(CPU);
    nearly(layer.forward(float::<2>([[-4.0, 1.0, -8.0, 2.0]])), [[-1.0, 1.0, -2.0, 2.0]]);
    layer.alpha = Param::from_data([0.1, 0.2, 0.3, 0.4], CPU);
    nearly(layer.forward(float::<2>(torch::MATRIX)), torch::PRELU);
    let alias: burn::nn::Prelu<B> = PReluConfig::new().init(CPU);
    exactly(alias.forward(float::<1>([-4.0])), [-1.0]);
}
