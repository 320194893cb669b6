//! Convolutions of images.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_nn::PaddingConfig2d;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    let same = PaddingConfig2d::Explicit(1, 1);
    let dense = Conv2dConfig::new([64, 64], [3, 3]).with_padding(same);
    let depthwise = Conv2dConfig::new([128, 128], [3, 3]).with_padding(same).with_groups(128);
    let pointwise = Conv2dConfig::new([256, 256], [1, 1]);
    vec![
        forward("conv 3x3", dense.clone(), [8, 64, 56, 56]).at_most(1.0),
        Workload::new("conv 3x3 step").with("NdArray", move || step(&dense, [8, 64, 56, 56])).at_most(1.0),
        forward("conv depthwise", depthwise, [8, 128, 56, 56]).at_most(0.13),
        forward("conv 1x1", pointwise, [8, 256, 28, 28]).at_most(0.5),
    ]
}

fn forward(name: &'static str, config: Conv2dConfig, shape: [usize; 4]) -> Workload {
    Workload::new(name).with("NdArray", move || {
        let conv: Conv2d<NdArray> = config.init(&Default::default());
        let x = normal(shape);
        move || drop(black_box(conv.forward(x.clone())))
    })
}

/// Forward and backward: the gradients by input, weight and bias.
fn step(config: &Conv2dConfig, shape: [usize; 4]) -> impl FnMut() + use<> {
    let conv: Conv2d<Autodiff<NdArray>> = config.init(&Default::default());
    let x = normal(shape).require_grad();
    move || {
        let gradients = conv.forward(x.clone()).sum().backward();
        drop(black_box(x.grad(&gradients)));
    }
}
