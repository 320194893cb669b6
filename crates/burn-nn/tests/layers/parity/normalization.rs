use super::{Case, Outcome};
use burn::module::Training;
use burn::nn::*;
use burn::tensor::{AutodiffBackend, Tensor};

/// The output of a layer and its running statistics after it.
fn with_statistics<B: AutodiffBackend, const D: usize>(
    layer: &BatchNorm<B>,
    x: Tensor<B, D>,
) -> (Tensor<B, D>, Tensor<B, 1>, Tensor<B, 1>) {
    (layer.forward(x), layer.running_mean.value(), layer.running_var.value())
}

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    let batch_norm = || case.config::<BatchNormConfig>().init(&device);
    match case.layer() {
        "BatchNorm2" => case.check(batch_norm(), |layer| layer.forward(case.float::<2>("x"))),
        "BatchNorm3" => case.check(batch_norm(), |layer| layer.forward(case.float::<3>("x"))),
        "BatchNorm4" => case.check(batch_norm(), |layer| layer.forward(case.float::<4>("x"))),
        "BatchNorm5" => case.check(batch_norm(), |layer| layer.forward(case.float::<5>("x"))),
        "BatchNormStatistics3" => {
            case.check(batch_norm(), |layer| with_statistics(layer, case.float::<3>("x")))
        }
        "BatchNormStatistics4" => {
            case.check(batch_norm(), |layer| with_statistics(layer, case.float::<4>("x")))
        }
        "BatchNormEvaluation" => {
            let layer = BatchNorm { training: Training::OFF, ..batch_norm() };
            case.check(layer, |layer| layer.forward(case.float::<3>("x")))
        }
        "GroupNorm" => case.check(case.config::<GroupNormConfig>().init(&device), |layer| {
            layer.forward(case.float::<4>("x"))
        }),
        "InstanceNorm" => case.check(case.config::<InstanceNormConfig>().init(&device), |layer| {
            layer.forward(case.float::<4>("x"))
        }),
        "LayerNorm" => case.check(case.config::<LayerNormConfig>().init(&device), |layer| {
            layer.forward(case.float::<3>("x"))
        }),
        "LocalResponseNorm" => case.check(case.config::<LocalResponseNormConfig>().init(), |layer| {
            layer.forward(case.float::<4>("x"))
        }),
        "Normalization" => case.check(case.config::<NormalizationConfig>().init(&device), |layer| {
            layer.forward(case.float::<4>("x"))
        }),
        "RmsNorm" => case
            .check(case.config::<RmsNormConfig>().init(&device), |layer| layer.forward(case.float::<3>("x"))),
        other => panic!("no layer {other}"),
    }
}
