//! Convolutions, norms of channels, poolings and interpolation.

use super::{C, Case, case, numbers};
use burn::module::Module;
use burn::nn::conv::{
    Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, Conv3d, Conv3dConfig, ConvTranspose2d, ConvTranspose2dConfig,
};
use burn::nn::pool::{
    AdaptiveAvgPool2dConfig, AvgPool1dConfig, AvgPool2dConfig, MaxPool2dConfig, MaxPool3dConfig,
};
use burn::nn::{
    BatchNorm, BatchNormConfig, GroupNorm, GroupNormConfig, InstanceNorm, InstanceNormConfig, Linear,
    LinearConfig, PaddingConfig1d, PaddingConfig2d,
};
use burn::tensor::module::{InterpolateMode, InterpolateOptions, interpolate2d};
use burn::tensor::{Backend, Tensor, activation};
use burn_onnx::export::{DynamicDim, OnnxExport};

#[derive(Module, Debug)]
struct ConvNet<B: Backend> {
    conv: Conv2d<B>,
    norm: BatchNorm<B>,
    grouped: Conv2d<B>,
    head: Linear<B>,
}

impl<B: Backend> ConvNet<B> {
    fn new(device: &B::Device) -> Self {
        let norm: BatchNorm<B> = BatchNormConfig::new(4).init(device);
        norm.running_mean.update(|mean| mean + 0.25);
        norm.running_var.update(|var| var * 2.0);
        ConvNet {
            conv: Conv2dConfig::new([2, 4], [3, 3]).with_padding(PaddingConfig2d::Same).init(device),
            norm,
            grouped: Conv2dConfig::new([4, 8], [3, 3])
                .with_stride([2, 2])
                .with_groups(2)
                .with_bias(false)
                .init(device),
            head: LinearConfig::new(8, 5).init(device),
        }
    }

    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = activation::relu(self.norm.forward(self.conv.forward(x)));
        let x = MaxPool2dConfig::new([2, 2]).init().forward(x);
        let x = activation::silu(self.grouped.forward(x));
        let x = AdaptiveAvgPool2dConfig::new([1, 1]).init().forward(x);
        self.head.forward(x.flatten(1, 3))
    }
}

#[derive(Module, Debug)]
struct Residual<B: Backend> {
    stem: Conv2d<B>,
    blocks: Vec<Block<B>>,
}

#[derive(Module, Debug)]
struct Block<B: Backend> {
    conv: Conv2d<B>,
    norm: GroupNorm<B>,
}

impl<B: Backend> Residual<B> {
    fn new(device: &B::Device) -> Self {
        let conv =
            |channels| Conv2dConfig::new(channels, [3, 3]).with_padding(PaddingConfig2d::Same).init(device);
        let block = || Block { conv: conv([6, 6]), norm: GroupNormConfig::new(3, 6).init(device) };
        Residual { stem: conv([3, 6]), blocks: vec![block(), block()] }
    }

    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 2> {
        let mut x = self.stem.forward(x);
        for Block { conv, norm } in &self.blocks {
            x = x.clone() + activation::relu(norm.forward(conv.forward(x)));
        }
        let x = AvgPool2dConfig::new([2, 2]).with_padding(PaddingConfig2d::Explicit(1, 1)).init().forward(x);
        x.mean_dims(&[2, 3]).flatten(1, 3)
    }
}

#[derive(Module, Debug)]
struct Decoder<B: Backend> {
    up: ConvTranspose2d<B>,
    norm: InstanceNorm<B>,
}

impl<B: Backend> Decoder<B> {
    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let x = self.norm.forward(self.up.forward(x));
        interpolate2d(x, [2.0, 2.0], InterpolateOptions::new(InterpolateMode::Nearest))
    }
}

#[derive(Module, Debug)]
struct Line<B: Backend> {
    conv: Conv1d<B>,
    dilated: Conv1d<B>,
}

pub fn cases() -> Vec<Case> {
    let device = Default::default();
    let batch = || OnnxExport::new().inputs(["image"]).dynamic("image", 0, "batch");
    let decoder = Decoder::<C> {
        up: ConvTranspose2dConfig::new([4, 6], [3, 3])
            .with_stride([2, 2])
            .with_padding([1, 1])
            .with_padding_out([1, 1])
            .init(&device),
        norm: InstanceNormConfig::new(6).init(&device),
    };
    let line = Line::<C> {
        conv: Conv1dConfig::new([2, 4], 3).with_padding(PaddingConfig1d::Same).init(&device),
        dilated: Conv1dConfig::new([4, 4], 3).with_dilation(2).with_groups(4).init(&device),
    };
    let volume: Conv3d<C> = Conv3dConfig::new([1, 3], [2, 2, 2]).init(&device);
    let height = DynamicDim::new("height").multiple_of(2);
    vec![
        case(
            "convnet",
            batch(),
            &ConvNet::<C>::new(&device),
            vec![numbers([2, 2, 12, 12]), numbers([5, 2, 12, 12])],
            |net, x| net.forward(x),
        ),
        case(
            "residual",
            batch().dynamic("image", 2, height).dynamic("image", 3, "width"),
            &Residual::<C>::new(&device),
            vec![numbers([1, 3, 8, 6]), numbers([3, 3, 10, 9])],
            |net, x| net.forward(x),
        ),
        case(
            "decoder",
            batch().dynamic("image", 2, "height"),
            &decoder,
            vec![numbers([1, 4, 5, 6]), numbers([2, 4, 3, 6])],
            |net, x| net.forward(x),
        ),
        case(
            "line",
            batch().dynamic("image", 2, "length"),
            &line,
            vec![numbers([2, 2, 16]), numbers([3, 2, 25])],
            |line, x| {
                let x = line.dilated.forward(activation::tanh(line.conv.forward(x)));
                AvgPool1dConfig::new(3).with_stride(2).with_count_include_pad(false).init().forward(x)
            },
        ),
        case(
            "volume",
            batch(),
            &volume,
            vec![numbers([1, 1, 4, 4, 4]), numbers([2, 1, 4, 4, 4])],
            |conv, x| MaxPool3dConfig::new([2, 2, 2]).with_stride([1, 1, 1]).init().forward(conv.forward(x)),
        ),
        case("pools", batch(), &0_usize, vec![numbers([1, 2, 7, 9]), numbers([3, 2, 7, 9])], |_, x| pools(x)),
        case(
            "interpolation",
            batch(),
            &0_usize,
            vec![numbers([1, 2, 5, 6]), numbers([2, 2, 5, 6])],
            |_, x| interpolations(x),
        ),
    ]
}

fn pools<B: Backend>(x: Tensor<B, 4>) -> (Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>) {
    let dilated = MaxPool2dConfig::new([2, 3]).with_stride([1, 1]).with_dilation([2, 1]).init();
    let even = AdaptiveAvgPool2dConfig::new([7, 3]).init();
    let uneven = AdaptiveAvgPool2dConfig::new([3, 4]).init();
    let average =
        AvgPool2dConfig::new([3, 2]).with_stride([2, 2]).with_padding(PaddingConfig2d::Explicit(1, 0));
    (
        dilated.forward(x.clone()),
        even.forward(x.clone()),
        uneven.forward(x.clone()),
        average.with_count_include_pad(false).init().forward(x),
    )
}

type Six<B> = (Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>);

fn interpolations<B: Backend>(x: Tensor<B, 4>) -> Six<B> {
    let size = |mode, size: [usize; 2], corners| {
        interpolate2d(x.clone(), size, InterpolateOptions::new(mode).with_align_corners(corners))
    };
    (
        size(InterpolateMode::Nearest, [7, 4], false),
        size(InterpolateMode::NearestExact, [10, 12], false),
        size(InterpolateMode::Linear, [8, 13], false),
        size(InterpolateMode::Linear, [3, 11], true),
        size(InterpolateMode::Cubic, [9, 7], false),
        interpolate2d(x.clone(), [1.7, 0.6], InterpolateOptions::new(InterpolateMode::Linear)),
    )
}
