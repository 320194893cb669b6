use super::{Case, Outcome};
use burn::nn::conv::{
    Conv1dConfig, Conv2dConfig, Conv3dConfig, ConvTranspose1dConfig, ConvTranspose2dConfig,
    ConvTranspose3dConfig, DeformConv2dConfig,
};
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = &case.device();
    match case.layer() {
        "Conv1d" => case
            .check(case.config::<Conv1dConfig>().init(device), |layer| layer.forward(case.float::<3>("x"))),
        "Conv2d" => case
            .check(case.config::<Conv2dConfig>().init(device), |layer| layer.forward(case.float::<4>("x"))),
        "Conv3d" => case
            .check(case.config::<Conv3dConfig>().init(device), |layer| layer.forward(case.float::<5>("x"))),
        "ConvTranspose1d" => case.check(case.config::<ConvTranspose1dConfig>().init(device), |layer| {
            layer.forward(case.float::<3>("x"))
        }),
        "ConvTranspose2d" => case.check(case.config::<ConvTranspose2dConfig>().init(device), |layer| {
            layer.forward(case.float::<4>("x"))
        }),
        "ConvTranspose3d" => case.check(case.config::<ConvTranspose3dConfig>().init(device), |layer| {
            layer.forward(case.float::<5>("x"))
        }),
        "ConvTranspose1dWithSize" => case
            .check(case.config::<ConvTranspose1dConfig>().init(device), |layer| {
                layer.forward_with_size(case.float::<3>("x"), case.sizes::<1>("output_size")[0])
            }),
        "ConvTranspose2dWithSize" => case
            .check(case.config::<ConvTranspose2dConfig>().init(device), |layer| {
                layer.forward_with_size(case.float::<4>("x"), case.sizes("output_size"))
            }),
        "ConvTranspose3dWithSize" => case
            .check(case.config::<ConvTranspose3dConfig>().init(device), |layer| {
                layer.forward_with_size(case.float::<5>("x"), case.sizes("output_size"))
            }),
        "DeformConv2d" => case.check(case.config::<DeformConv2dConfig>().init(device), |layer| {
            let mask = case.has_input("mask").then(|| case.float::<4>("mask"));
            layer.forward(case.float::<4>("x"), case.float::<4>("offset"), mask)
        }),
        other => panic!("no layer {other}"),
    }
}
