//! Convolutions of images, volumes and sequences, and transposed ones.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_nn::conv::{
    Conv2d, Conv2dConfig, Conv3dConfig, ConvTranspose1dConfig, ConvTranspose2dConfig, ConvTranspose3dConfig,
};
use burn_nn::{PaddingConfig2d, PaddingConfig3d};
use burn_tensor::module::conv2d;
use burn_tensor::ops::ConvOptions;
use burn_tensor::{DType, Tensor};
use std::hint::black_box;

type Tracked = Autodiff<NdArray>;

pub(super) fn all() -> Vec<Workload> {
    let same = PaddingConfig2d::Explicit(1, 1);
    let dense = Conv2dConfig::new([64, 64], [3, 3]).with_padding(same);
    let depthwise = Conv2dConfig::new([128, 128], [3, 3]).with_padding(same).with_groups(128);
    let pointwise = Conv2dConfig::new([256, 256], [1, 1]);
    vec![
        forward("conv 3x3", dense.clone(), [8, 64, 56, 56]).at_most(1.0),
        half("conv 3x3 f16", DType::F16),
        half("conv 3x3 bf16", DType::BF16),
        step("conv 3x3 step", move || {
            let conv = dense.init(&Default::default());
            steps([8, 64, 56, 56], move |x: Tensor<Tracked, 4>| conv.forward(x))
        }),
        forward("conv depthwise", depthwise, [8, 128, 56, 56]).at_most(0.13),
        forward("conv 1x1", pointwise, [8, 256, 28, 28]).at_most(0.5),
        step("conv3d step", || {
            let same = PaddingConfig3d::Explicit(1, 1, 1);
            let conv = Conv3dConfig::new([32, 32], [3; 3]).with_padding(same).init(&Default::default());
            steps([2, 32, 16, 28, 28], move |x: Tensor<Tracked, 5>| conv.forward(x))
        }),
        step("conv transpose 1d step", || {
            let config = ConvTranspose1dConfig::new([128, 64], 4).with_stride(2).with_padding(1);
            let conv = config.init(&Default::default());
            steps([16, 128, 512], move |x: Tensor<Tracked, 3>| conv.forward(x))
        }),
        step("conv transpose 2d step", || {
            let config =
                ConvTranspose2dConfig::new([128, 64], [4; 2]).with_stride([2; 2]).with_padding([1; 2]);
            let conv = config.init(&Default::default());
            steps([8, 128, 28, 28], move |x: Tensor<Tracked, 4>| conv.forward(x))
        }),
        step("conv transpose 3d step", || {
            let config =
                ConvTranspose3dConfig::new([64, 32], [4; 3]).with_stride([2; 3]).with_padding([1; 3]);
            let conv = config.init(&Default::default());
            steps([2, 64, 8, 14, 14], move |x: Tensor<Tracked, 5>| conv.forward(x))
        }),
    ]
}

fn forward(name: &'static str, config: Conv2dConfig, shape: [usize; 4]) -> Workload {
    Workload::new(name).with("NdArray", move || {
        let conv: Conv2d<NdArray> = config.init(&Default::default());
        let x = normal(shape);
        move || drop(black_box(conv.forward(x.clone())))
    })
}

/// As `conv 3x3`, of a narrow type and without a bias.
fn half(name: &'static str, dtype: DType) -> Workload {
    let prepare = move || {
        let (x, weight) = (normal::<NdArray, 4>([8, 64, 56, 56]), normal::<NdArray, 4>([64, 64, 3, 3]));
        let (x, weight) = (x.cast(dtype), weight.cast(dtype));
        let options = ConvOptions { padding: [1; 2].into(), ..ConvOptions::new(2) };
        move || drop(black_box(conv2d(x.clone(), weight.clone(), None, options.clone())))
    };
    Workload::new(name).with("NdArray", prepare).at_most(1.0)
}

/// Forward and backward: no more than PyTorch's time.
fn step<F: FnMut() + 'static>(name: &'static str, prepare: impl FnOnce() -> F + 'static) -> Workload {
    Workload::new(name).with("NdArray", prepare).at_most(1.0)
}

/// The gradients by input, weight and bias.
fn steps<const D: usize>(
    shape: [usize; D],
    forward: impl Fn(Tensor<Tracked, D>) -> Tensor<Tracked, D>,
) -> impl FnMut() {
    let x = normal(shape).require_grad();
    move || {
        let gradients = forward(x.clone()).sum().backward();
        drop(black_box(x.grad(&gradients)));
    }
}
