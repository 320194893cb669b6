use super::{Case, Outcome};
use burn::nn::LocalResponseNormConfig;
use burn::nn::pool::*;
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    /// A layer that is made from its config without a device.
    macro_rules! check {
        ($config:ty, |$layer:ident| $forward:expr) => {
            case.check(case.config::<$config>().init(), |$layer| $forward)
        };
    }
    match case.layer() {
        "MaxPool1d" => check!(MaxPool1dConfig, |layer| layer.forward(case.float::<3>("x"))),
        "MaxPool2d" => check!(MaxPool2dConfig, |layer| layer.forward(case.float::<4>("x"))),
        "MaxPool3d" => check!(MaxPool3dConfig, |layer| layer.forward(case.float::<5>("x"))),
        "MaxPool1dWithIndices" => {
            check!(MaxPool1dConfig, |layer| layer.forward_with_indices(case.float::<3>("x")))
        }
        "MaxPool2dWithIndices" => {
            check!(MaxPool2dConfig, |layer| layer.forward_with_indices(case.float::<4>("x")))
        }
        "MaxPool3dWithIndices" => {
            check!(MaxPool3dConfig, |layer| layer.forward_with_indices(case.float::<5>("x")))
        }
        "AvgPool1d" => check!(AvgPool1dConfig, |layer| layer.forward(case.float::<3>("x"))),
        "AvgPool2d" => check!(AvgPool2dConfig, |layer| layer.forward(case.float::<4>("x"))),
        "AvgPool3d" => check!(AvgPool3dConfig, |layer| layer.forward(case.float::<5>("x"))),
        "LpPool1d" => check!(LpPool1dConfig, |layer| layer.forward(case.float::<3>("x"))),
        "LpPool2d" => check!(LpPool2dConfig, |layer| layer.forward(case.float::<4>("x"))),
        "LpPool3d" => check!(LpPool3dConfig, |layer| layer.forward(case.float::<5>("x"))),
        "MaxUnpool1d" => {
            check!(MaxUnpool1dConfig, |layer| layer.forward(case.float::<3>("x"), case.int("indices")))
        }
        "MaxUnpool2d" => {
            check!(MaxUnpool2dConfig, |layer| layer.forward(case.float::<4>("x"), case.int("indices")))
        }
        "MaxUnpool3d" => {
            check!(MaxUnpool3dConfig, |layer| layer.forward(case.float::<5>("x"), case.int("indices")))
        }
        "MaxUnpool1dWithSize" => check!(MaxUnpool1dConfig, |layer| layer.forward_with_size(
            case.float::<3>("x"),
            case.int("indices"),
            case.sizes::<1>("output_size")[0]
        )),
        "MaxUnpool2dWithSize" => check!(MaxUnpool2dConfig, |layer| layer.forward_with_size(
            case.float::<4>("x"),
            case.int("indices"),
            case.sizes("output_size")
        )),
        "MaxUnpool3dWithSize" => check!(MaxUnpool3dConfig, |layer| layer.forward_with_size(
            case.float::<5>("x"),
            case.int("indices"),
            case.sizes("output_size")
        )),
        "AdaptiveAvgPool1d" => check!(AdaptiveAvgPool1dConfig, |layer| layer.forward(case.float::<3>("x"))),
        "AdaptiveAvgPool2d" => check!(AdaptiveAvgPool2dConfig, |layer| layer.forward(case.float::<4>("x"))),
        "AdaptiveAvgPool3d" => check!(AdaptiveAvgPool3dConfig, |layer| layer.forward(case.float::<5>("x"))),
        "AdaptiveMaxPool1d" => check!(AdaptiveMaxPool1dConfig, |layer| layer.forward(case.float::<3>("x"))),
        "AdaptiveMaxPool2d" => check!(AdaptiveMaxPool2dConfig, |layer| layer.forward(case.float::<4>("x"))),
        "AdaptiveMaxPool3d" => check!(AdaptiveMaxPool3dConfig, |layer| layer.forward(case.float::<5>("x"))),
        "AdaptiveMaxPool1dWithIndices" => {
            check!(AdaptiveMaxPool1dConfig, |layer| layer.forward_with_indices(case.float::<3>("x")))
        }
        "AdaptiveMaxPool2dWithIndices" => {
            check!(AdaptiveMaxPool2dConfig, |layer| layer.forward_with_indices(case.float::<4>("x")))
        }
        "AdaptiveMaxPool3dWithIndices" => {
            check!(AdaptiveMaxPool3dConfig, |layer| layer.forward_with_indices(case.float::<5>("x")))
        }
        "LocalResponseNorm3" => check!(LocalResponseNormConfig, |layer| layer.forward(case.float::<3>("x"))),
        "LocalResponseNorm4" => check!(LocalResponseNormConfig, |layer| layer.forward(case.float::<4>("x"))),
        other => panic!("no layer {other}"),
    }
}
