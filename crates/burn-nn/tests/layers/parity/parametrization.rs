use super::{Case, Outcome};
use burn::module::Training;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::*;
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    let linear = || case.config::<LinearConfig>().init::<B>(&device);
    let conv = || case.config::<Conv2dConfig>().init::<B>(&device);
    let spectral = || -> SpectralNorm<B, Linear<B>, 2> { case.config::<SpectralNormConfig>().init(linear()) };
    match case.layer() {
        "WeightNormLinear" => {
            let layer: WeightNorm<B, Linear<B>, 2> = case.config::<WeightNormConfig>().init(linear());
            case.check(layer, |layer| layer.forward(case.float::<2>("x")))
        }
        "WeightNormConv2d" => {
            let layer: WeightNorm<B, Conv2d<B>, 4> = case.config::<WeightNormConfig>().init(conv());
            case.check(layer, |layer| layer.forward(case.float::<4>("x")))
        }
        "SpectralNormLinear" => case.check(spectral(), |layer| layer.forward(case.float::<2>("x"))),
        "SpectralNormLinearStatistics" => case.check(spectral(), |layer| {
            (layer.forward(case.float::<2>("x")), layer.left.value(), layer.right.value())
        }),
        "SpectralNormLinearEvaluation" => {
            let layer = SpectralNorm { training: Training::OFF, ..spectral() };
            case.check(layer, |layer| layer.forward(case.float::<2>("x")))
        }
        "SpectralNormConv2d" => {
            let layer: SpectralNorm<B, Conv2d<B>, 4> = case.config::<SpectralNormConfig>().init(conv());
            case.check(layer, |layer| layer.forward(case.float::<4>("x")))
        }
        other => panic!("no layer {other}"),
    }
}
