//! The layers of this crate as [`Forward`].

use super::{Flatten, Forward};
use crate::conv::{Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d};
use crate::padding::{
    CircularPad1d, CircularPad2d, CircularPad3d, ConstantPad1d, ConstantPad2d, ConstantPad3d,
    ReflectionPad1d, ReflectionPad2d, ReflectionPad3d, ReplicationPad1d, ReplicationPad2d, ReplicationPad3d,
    ZeroPad1d, ZeroPad2d, ZeroPad3d,
};
use crate::pool::{
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d,
    AdaptiveMaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d, LpPool1d, LpPool2d, LpPool3d, MaxPool1d, MaxPool2d,
    MaxPool3d,
};
use crate::{
    Activation, AlphaDropout, BatchNorm, Bilinear, Celu, ChannelShuffle, Dropout, Dropout1d, Dropout2d,
    Dropout3d, Elu, Embedding, EmbeddingBag, GaussianNoise, Gelu, Glu, GroupNorm, HardShrink, HardSigmoid,
    HardSwish, Hardtanh, Identity, InstanceNorm, Interpolate1d, Interpolate2d, Interpolate3d, LayerNorm,
    LeakyRelu, Linear, LocalResponseNorm, LogSigmoid, LogSoftmax, Mish, Normalization, PRelu, PixelShuffle,
    PixelUnshuffle, Relu, Relu6, RmsNorm, Selu, Sigmoid, Silu, SoftShrink, Softmax, Softmin, Softplus,
    Softsign, SwiGlu, Tanh, TanhShrink, Threshold, Upsample,
};
use burn_core::tensor::{Backend, Int, Tensor};

/// Layers without parameters, from any rank to the same one.
macro_rules! any_rank {
    ($($layer:ident)*) => {$(
        impl<B: Backend, const D: usize> Forward<Tensor<B, D>> for $layer {
            type Output = Tensor<B, D>;

            #[track_caller]
            fn forward(&self, input: Tensor<B, D>) -> Tensor<B, D> {
                $layer::forward(self, input)
            }
        }
    )*};
}

/// Layers with parameters, from any rank to the same one.
macro_rules! any_rank_with_parameters {
    ($($layer:ident)*) => {$(
        impl<B: Backend, const D: usize> Forward<Tensor<B, D>> for $layer<B> {
            type Output = Tensor<B, D>;

            #[track_caller]
            fn forward(&self, input: Tensor<B, D>) -> Tensor<B, D> {
                $layer::forward(self, input)
            }
        }
    )*};
}

/// Layers without parameters, of one rank.
macro_rules! one_rank {
    ($($layer:ident $rank:literal)*) => {$(
        impl<B: Backend> Forward<Tensor<B, $rank>> for $layer {
            type Output = Tensor<B, $rank>;

            #[track_caller]
            fn forward(&self, input: Tensor<B, $rank>) -> Tensor<B, $rank> {
                $layer::forward(self, input)
            }
        }
    )*};
}

/// Layers with parameters, of one rank.
macro_rules! one_rank_with_parameters {
    ($($layer:ident $rank:literal)*) => {$(
        impl<B: Backend> Forward<Tensor<B, $rank>> for $layer<B> {
            type Output = Tensor<B, $rank>;

            #[track_caller]
            fn forward(&self, input: Tensor<B, $rank>) -> Tensor<B, $rank> {
                $layer::forward(self, input)
            }
        }
    )*};
}

any_rank! {
    ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d PixelShuffle
    PixelUnshuffle ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
    ReplicationPad3d Upsample ZeroPad1d ZeroPad2d ZeroPad3d
    AlphaDropout Celu Dropout Elu GaussianNoise Gelu Glu HardShrink HardSigmoid HardSwish Hardtanh Identity LeakyRelu
    LocalResponseNorm LogSigmoid LogSoftmax Mish Relu Relu6 Selu Sigmoid Silu SoftShrink Softmax Softmin Softplus
    Softsign Tanh TanhShrink Threshold
}
any_rank_with_parameters! {
    Activation BatchNorm GroupNorm InstanceNorm LayerNorm Linear Normalization PRelu RmsNorm SwiGlu
}
one_rank! {
    AdaptiveAvgPool1d 3
    AdaptiveAvgPool2d 4
    AdaptiveAvgPool3d 5
    AdaptiveMaxPool1d 3
    AdaptiveMaxPool2d 4
    AdaptiveMaxPool3d 5
    AvgPool1d 3
    AvgPool2d 4
    AvgPool3d 5
    Dropout1d 3
    Dropout2d 4
    Dropout3d 5
    Interpolate1d 3
    Interpolate2d 4
    Interpolate3d 5
    LpPool1d 3
    LpPool2d 4
    LpPool3d 5
    MaxPool1d 3
    MaxPool2d 4
    MaxPool3d 5
}
one_rank_with_parameters! {
    Conv1d 3
    Conv2d 4
    Conv3d 5
    ConvTranspose1d 3
    ConvTranspose2d 4
    ConvTranspose3d 5
}

impl<B: Backend, const D: usize> Forward<Tensor<B, D>> for Flatten {
    type Output = Tensor<B, 2>;

    #[track_caller]
    fn forward(&self, input: Tensor<B, D>) -> Tensor<B, 2> {
        Flatten::forward(self, input)
    }
}

impl<B: Backend> Forward<Tensor<B, 2, Int>> for Embedding<B> {
    type Output = Tensor<B, 3>;

    #[track_caller]
    fn forward(&self, input: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        Embedding::forward(self, input)
    }
}

impl<B: Backend> Forward<Tensor<B, 2, Int>> for EmbeddingBag<B> {
    type Output = Tensor<B, 2>;

    #[track_caller]
    fn forward(&self, input: Tensor<B, 2, Int>) -> Tensor<B, 2> {
        EmbeddingBag::forward(self, input)
    }
}

impl<B: Backend, const D: usize> Forward<(Tensor<B, D>, Tensor<B, D>)> for Bilinear<B> {
    type Output = Tensor<B, D>;

    #[track_caller]
    fn forward(&self, (x1, x2): (Tensor<B, D>, Tensor<B, D>)) -> Tensor<B, D> {
        Bilinear::forward(self, x1, x2)
    }
}
