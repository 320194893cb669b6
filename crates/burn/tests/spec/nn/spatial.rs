//! NN, X: layers over one, two and three spatial dimensions.

use super::layers::ramp;
use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, float, int};
use crate::torch::spatial as torch;
use burn::config::ConfigError;
use burn::module::{Module, Param};
use burn::nn::conv::{
    Conv1dConfig, Conv2d, Conv2dConfig, Conv3d, Conv3dConfig, ConvTranspose1d, ConvTranspose1dConfig,
    ConvTranspose2d, ConvTranspose2dConfig, ConvTranspose3d, ConvTranspose3dConfig, DeformConv2d,
    DeformConv2dConfig,
};
use burn::nn::padding::{
    CircularPad1dConfig, ConstantPad1dConfig, ReflectionPad2dConfig, ReplicationPad3dConfig, ZeroPad2dConfig,
};
use burn::nn::pool::*;
use burn::nn::{
    ChannelShuffleConfig, Fold4dConfig, Interpolate1dConfig, Interpolate2dConfig, Interpolate3dConfig,
    InterpolateMode, LocalResponseNormConfig, PaddingConfig1d, PaddingConfig2d, PaddingConfig3d, PaddingMode,
    PixelShuffleConfig, PixelUnshuffleConfig, Unfold4dConfig, UpsampleConfig,
};
use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
use std::f64::consts::PI;

#[test]
fn nn_015_interpolation_in_each_mode_agrees_with_pytorch() {
    let layer = Interpolate1dConfig::new().with_output_size(Some(9)).with_mode(InterpolateMode::Linear);
    nearly(layer.init().forward(ramp([1, 2, 6])), torch::LINEAR1D);
    nearly(layer.with_align_corners(true).init().forward(ramp([1, 2, 6])), torch::LINEAR1D_CORNERS);
    let layer = Interpolate2dConfig::new().with_output_size(Some([6, 3]));
    exactly(layer.init().forward(ramp([1, 2, 4, 5])), torch::NEAREST2D);
    let bilinear = layer.clone().with_mode(InterpolateMode::Linear).init();
    nearly(bilinear.forward(ramp([1, 2, 4, 5])), torch::BILINEAR);
    let bicubic = layer.with_mode(InterpolateMode::Cubic).with_align_corners(true).init();
    nearly(bicubic.forward(ramp([1, 2, 4, 5])), torch::BICUBIC);
    let layer = Interpolate3dConfig::new().with_scale_factor(Some([2.0, 0.5, 1.5]));
    nearly(layer.with_mode(InterpolateMode::Linear).init().forward(ramp([1, 2, 3, 4, 3])), torch::TRILINEAR);
}

#[test]
fn nn_015_lanczos_interpolation_weighs_six_neighbours_by_windowed_sincs() {
    let sinc = |t: f64| if t == 0.0 { 1.0 } else { (PI * t).sin() / (PI * t) };
    let x: [f64; 8] = [0.5, -1.0, 2.0, 3.0, 0.0, 1.0, -2.0, 4.0];
    // Twice the length: the position of output `i` is `(i + 1/2) / 2 - 1/2`, and edges are repeated.
    let expected: [f64; 16] = std::array::from_fn(|i| {
        let position = (i as f64 + 0.5) / 2.0 - 0.5;
        let first = position.floor() - 2.0;
        let taps = (0..6).map(|k| first + f64::from(k));
        let weighted = taps.map(|at| {
            let t = position - at;
            (sinc(t) * sinc(t / 3.0), x[at.clamp(0.0, 7.0) as usize])
        });
        let (weights, sum) = weighted.fold((0.0, 0.0), |(weights, sum), (w, x)| (weights + w, sum + w * x));
        sum / weights
    });
    let layer = Interpolate1dConfig::new().with_scale_factor(Some(2.0)).with_mode(InterpolateMode::Lanczos);
    nearly(layer.init().forward(float::<3>([[x]])), [[expected]]);
}

#[test]
fn nn_016_conv1d_refuses_what_a_convolution_cannot_be() {
    let config = Conv1dConfig::new([2, 3], 3);
    refused(config.clone().with_stride(0).try_init::<B>(CPU), "Conv1dConfig: invalid `stride`");
    refused(Conv1dConfig::new([0, 3], 3).try_init::<B>(CPU), "Conv1dConfig: invalid `channels`");
    let error = config.init::<B>(CPU).try_forward(ramp([1, 3, 6])).unwrap_err();
    assert_eq!(error.operation(), "conv1d");
}

#[test]
fn nn_017_conv2d_pads_by_reflection() {
    let config = Conv2dConfig::new([2, 1], [3, 3]).with_padding(PaddingConfig2d::Explicit(2, 1));
    let mut conv: Conv2d<B> = config.with_padding_mode(PaddingMode::Reflect).with_bias(false).init(CPU);
    conv.weight = Param::from_tensor(ramp([1, 2, 3, 3]));
    nearly(conv.forward(ramp([1, 2, 4, 5])), torch::CONV2D_REFLECT);
}

#[test]
fn nn_018_conv3d_agrees_with_pytorch() {
    let config = Conv3dConfig::new([2, 2], [2, 3, 2]).with_stride([1, 2, 1]);
    let mut conv: Conv3d<B> = config.with_padding(PaddingConfig3d::Explicit(1, 0, 1)).init(CPU);
    assert_eq!(conv.num_params(), 2 * 2 * 12 + 2);
    conv.weight = Param::from_tensor(ramp([2, 2, 2, 3, 2]));
    conv.bias = Some(Param::from_tensor(ramp([2])));
    nearly(conv.forward(ramp([1, 2, 3, 4, 3])), torch::CONV3D);
}

#[test]
fn nn_019_transposed_convolutions_agree_with_pytorch() {
    let config = ConvTranspose1dConfig::new([2, 2], 3).with_stride(2).with_padding(1).with_padding_out(1);
    let mut conv: ConvTranspose1d<B> = config.init(CPU);
    conv.weight = Param::from_tensor(ramp([2, 2, 3]));
    conv.bias = Some(Param::from_tensor(ramp([2])));
    nearly(conv.forward(ramp([1, 2, 6])), torch::CONV_TRANSPOSE1D);
    // The output padding of the layer is that of the size 12.
    nearly(conv.forward_with_size(ramp([1, 2, 6]), 12), torch::CONV_TRANSPOSE1D);

    let config = ConvTranspose2dConfig::new([2, 2], [3, 2])
        .with_stride([2, 1])
        .with_padding([1, 0])
        .with_padding_out([1, 0])
        .with_groups(2)
        .with_dilation([1, 2]);
    let mut conv: ConvTranspose2d<B> = config.init(CPU);
    conv.weight = Param::from_tensor(ramp([2, 1, 3, 2]));
    conv.bias = Some(Param::from_tensor(ramp([2])));
    nearly(conv.forward(ramp([1, 2, 4, 5])), torch::CONV_TRANSPOSE2D);
}

#[test]
fn nn_020_conv_transpose3d_agrees_with_pytorch() {
    let config = ConvTranspose3dConfig::new([2, 1], [2, 2, 2])
        .with_stride([1, 2, 1])
        .with_padding([0, 1, 0])
        .with_padding_out([0, 1, 0]);
    let mut conv: ConvTranspose3d<B> = config.init(CPU);
    conv.weight = Param::from_tensor(ramp([2, 1, 2, 2, 2]));
    conv.bias = Some(Param::from_tensor(ramp([1])));
    nearly(conv.forward(ramp([1, 2, 3, 4, 3])), torch::CONV_TRANSPOSE3D);
}

#[test]
fn nn_021_deform_conv2d_moves_what_its_kernel_reads() {
    let config = DeformConv2dConfig::new([1, 1], [2, 1]).with_bias(false);
    let mut conv: DeformConv2d<B> = config.init(CPU);
    conv.weight = Param::from_tensor(float([[[[2.0], [10.0]]]]));
    // Offsets of both kernel elements, vertical before horizontal, for the one row of two outputs.
    let offset = float([[[[0.5, 0.0]], [[0.0, -1.0]], [[0.0, 5.0]], [[0.25, 0.0]]]]);
    let x = || float::<4>([[[[1.0, 2.0], [3.0, 5.0]]]]);
    // The first output reads between the rows, and a quarter to the right; the second, column -1 plus 1, and
    // outside.
    let first = 2.0 * (1.0 + 3.0) / 2.0 + 10.0 * (0.75 * 3.0 + 0.25 * 5.0);
    nearly(conv.forward(x(), offset.clone(), None), [[[[first, 2.0 * 1.0]]]]);
    let mask = float([[[[0.5, 1.0]], [[0.0, 1.0]]]]);
    nearly(conv.forward(x(), offset, Some(mask)), [[[[2.0, 2.0]]]]);
}

#[test]
fn nn_022_adaptive_average_pool_over_three_dimensions() {
    let pool = AdaptiveAvgPool3dConfig::new([2, 3, 1]).init();
    nearly(pool.forward(ramp([1, 2, 3, 4, 3])), torch::ADAPTIVE_AVG_POOL3D);
    refused(
        AdaptiveAvgPool2dConfig::new([2, 0]).try_init(),
        "AdaptiveAvgPool2dConfig: invalid `output_size`",
    );
}

#[test]
fn nn_023_average_pools_round_up_and_divide_as_asked() {
    let config =
        AvgPool2dConfig::new([3, 2]).with_stride([2, 2]).with_padding(PaddingConfig2d::Explicit(1, 0));
    let pool = config.with_ceil_mode(true).with_count_include_pad(false).init();
    nearly(pool.forward(ramp([1, 2, 4, 5])), torch::AVG_POOL2D_CEIL);
    let pool = AvgPool2dConfig::new([2, 2]).with_divisor_override(Some(3)).init();
    nearly(pool.forward(ramp([1, 2, 4, 5])), torch::AVG_POOL2D_DIVISOR);
}

#[test]
fn nn_024_max_pools_round_up_and_give_indices() {
    let pool = MaxPool2dConfig::new([3, 2]).with_stride([2, 2]).with_ceil_mode(true).init();
    let (values, indices) = pool.forward_with_indices(ramp([1, 2, 4, 5]));
    exactly(values, torch::MAX_POOL2D_CEIL);
    exactly(indices, torch::MAX_POOL2D_CEIL_INDICES);
}

#[test]
fn nn_033_padding_of_one_and_three_dimensions_and_of_each_side() {
    let size = |padding| {
        let conv = Conv1dConfig::new([1, 1], 3).with_padding(padding).init::<B>(CPU);
        conv.forward(Tensor::zeros([1, 1, 8], CPU)).dims()[2]
    };
    assert_eq!(size(PaddingConfig1d::Valid), 6);
    assert_eq!(size(PaddingConfig1d::Same), 8);
    assert_eq!(size(PaddingConfig1d::Explicit(2)), 10);
    assert_eq!(size(PaddingConfig1d::Asymmetric(0, 3)), 9);
    let size = |padding| {
        let conv = Conv3dConfig::new([1, 1], [3, 1, 2]).with_padding(padding).init::<B>(CPU);
        conv.forward(Tensor::zeros([1, 1, 4, 4, 4], CPU)).dims()
    };
    assert_eq!(size(PaddingConfig3d::Valid), [1, 1, 2, 4, 3]);
    assert_eq!(size(PaddingConfig3d::Same), [1, 1, 4, 4, 4]);
    assert_eq!(size(PaddingConfig3d::Explicit(2, 1, 0)), [1, 1, 6, 6, 3]);
    assert_eq!(size(PaddingConfig3d::Asymmetric((0, 1), (0, 0), (2, 0))), [1, 1, 3, 4, 5]);
}

#[test]
fn nn_034_transposed_convolutions_start_as_those_of_pytorch() {
    B::seed(11);
    // PyTorch's fan of a weight [channels_in, channels_out, ..] is `channels_out` times the kernel.
    let conv: ConvTranspose2d<B> = ConvTranspose2dConfig::new([64, 8], [5, 5]).init(CPU);
    let values: Vec<f64> = conv.weight.val().into_data().iter().collect();
    let bound = 1.0 / f64::sqrt(8.0 * 25.0);
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    assert!(largest <= bound && largest > 0.98 * bound, "{largest} {bound}");
}

#[test]
fn x_201_pools_over_three_dimensions_and_adaptive_maxima() {
    let config = AvgPool3dConfig::new([2, 3, 1])
        .with_stride([1, 2, 2])
        .with_padding(PaddingConfig3d::Explicit(1, 1, 0));
    nearly(config.init().forward(ramp([1, 2, 3, 4, 3])), torch::AVG_POOL3D);
    let config = MaxPool3dConfig::new([2, 2, 3])
        .with_stride([1, 1, 1])
        .with_padding(PaddingConfig3d::Explicit(1, 0, 1))
        .with_dilation([1, 2, 1]);
    exactly(config.init().forward(ramp([1, 2, 3, 4, 3])), torch::MAX_POOL3D);
    exactly(AdaptiveMaxPool1dConfig::new(4).init().forward(ramp([1, 2, 6])), torch::ADAPTIVE_MAX_POOL1D);
    let (values, indices) =
        AdaptiveMaxPool2dConfig::new([3, 2]).init().forward_with_indices(ramp([1, 2, 4, 5]));
    exactly(values, torch::ADAPTIVE_MAX_POOL2D);
    exactly(indices, torch::ADAPTIVE_MAX_POOL2D_INDICES);
}

#[test]
fn x_201_padding_layers_in_each_mode() {
    let pad = ConstantPad1dConfig::new([(1, 2)], 0.5).init();
    exactly(pad.forward(float::<2>([[1.0, 2.0]])), [[0.5, 1.0, 2.0, 0.5, 0.5]]);
    let pad = ZeroPad2dConfig::new([(0, 1), (1, 0)]).init();
    exactly(pad.forward(float::<2>([[1.0, 2.0]])), [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]);
    let pad = ReflectionPad2dConfig::new([(0, 3), (2, 1)]).init();
    exactly(pad.forward(ramp([1, 2, 4, 5])), torch::REFLECTION_PAD2D);
    let pad = ReplicationPad3dConfig::new([(1, 1), (0, 2), (1, 0)]).init();
    exactly(pad.forward(ramp([1, 2, 3, 4, 3])), torch::REPLICATION_PAD3D);
    let pad = CircularPad1dConfig::new([(4, 3)]).init();
    exactly(pad.forward(ramp([1, 2, 6])), torch::CIRCULAR_PAD1D);
}

#[test]
fn x_201_pixel_shuffle_and_its_inverse() {
    let y = PixelShuffleConfig::new(2).init().forward(ramp([1, 8, 2, 3]));
    exactly(y.clone(), torch::PIXEL_SHUFFLE);
    exactly(PixelUnshuffleConfig::new(2).init().forward(y), ramp([1, 8, 2, 3]).into_data());
}

#[test]
fn x_201_unfold4d_and_fold4d_agree_with_pytorch() {
    let unfold = Unfold4dConfig::new([2, 3]).with_padding([1, 0]).with_stride([2, 1]).init();
    exactly(unfold.forward(ramp([1, 2, 4, 5])), torch::UNFOLD);
    nearly(Fold4dConfig::new([3, 4], [2, 2]).init().forward(ramp([1, 4, 6])), torch::FOLD);
}

#[test]
fn x_201_local_response_norm_agrees_with_pytorch() {
    let norm = LocalResponseNormConfig::new(3).with_alpha(0.5).with_k(2.0).init();
    nearly(norm.forward(ramp([1, 5, 3])), torch::LOCAL_RESPONSE_NORM);
}

#[test]
fn x_209_upsample_takes_inputs_of_each_rank() {
    let twice = UpsampleConfig::new().with_scale_factor(Some(vec![2.0])).init();
    exactly(twice.forward(float::<3>([[[1.0, 2.0]]])), [[[1.0, 1.0, 2.0, 2.0]]]);
    exactly(twice.forward(float::<4>([[[[1.0, 2.0]]]])), [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]);
    assert_eq!(twice.forward(ramp([1, 2, 3, 4, 3])).dims(), [1, 2, 6, 8, 6]);
    let config = UpsampleConfig::new().with_scale_factor(Some(vec![2.0, 0.5, 1.5]));
    let layer = config.with_mode(InterpolateMode::Linear).init();
    nearly(layer.forward(ramp([1, 2, 3, 4, 3])), torch::TRILINEAR);
}

#[test]
fn x_209_lp_pools_unpooling_and_channel_shuffle() {
    let pool = LpPool2dConfig::new(2.0, [2, 3]).with_stride([1, 1]).init();
    nearly(pool.forward(ramp([1, 2, 4, 5])), torch::LP_POOL2D);
    let (values, indices) = MaxPool2dConfig::new([2, 2]).init().forward_with_indices(ramp([1, 2, 4, 5]));
    let unpool = MaxUnpool2dConfig::new([2, 2]).init();
    exactly(unpool.forward_with_size(values, indices, [4, 5]), torch::MAX_UNPOOL2D);
    exactly(ChannelShuffleConfig::new(3).init().forward(ramp([1, 6, 2])), torch::CHANNEL_SHUFFLE);
}

#[track_caller]
fn refused<T: std::fmt::Debug>(made: Result<T, ConfigError>, text: &str) {
    let error = made.unwrap_err();
    assert!(error.to_string().starts_with(text), "{error}");
    assert!(matches!(error, ConfigError::Field { .. }), "{error:?}");
}

#[test]
fn x_211_spatial_configs_refuse_impossible_values_by_field() {
    let text = |config: &str, field: &str| format!("{config}: invalid `{field}`; expected ");
    let conv = Conv3dConfig::new([4, 6], [3, 3, 3]);
    refused(conv.clone().with_groups(4).try_init::<B>(CPU), &text("Conv3dConfig", "groups"));
    refused(conv.with_dilation([1, 0, 1]).try_init::<B>(CPU), &text("Conv3dConfig", "dilation"));
    let conv = ConvTranspose2dConfig::new([4, 2], [3, 3]).with_stride([2, 2]);
    refused(
        conv.clone().with_padding_out([2, 0]).try_init::<B>(CPU),
        &text("ConvTranspose2dConfig", "padding_out"),
    );
    assert!(conv.with_dilation([3, 1]).with_padding_out([2, 0]).try_init::<B>(CPU).is_ok());
    let deform = DeformConv2dConfig::new([4, 2], [3, 3]);
    refused(
        deform.clone().with_offset_groups(3).try_init::<B>(CPU),
        &text("DeformConv2dConfig", "offset_groups"),
    );
    refused(deform.with_weight_groups(4).try_init::<B>(CPU), &text("DeformConv2dConfig", "weight_groups"));
    let pool = MaxPool2dConfig::new([3, 2]).with_padding(PaddingConfig2d::Explicit(1, 2));
    refused(pool.try_init(), &text("MaxPool2dConfig", "padding"));
    let pool = AvgPool3dConfig::new([2, 2, 2]).with_divisor_override(Some(0));
    refused(pool.try_init(), &text("AvgPool3dConfig", "divisor_override"));
    refused(LpPool1dConfig::new(0.0, 2).try_init(), &text("LpPool1dConfig", "norm_type"));
    refused(MaxUnpool1dConfig::new(0).try_init(), &text("MaxUnpool1dConfig", "kernel_size"));
    refused(AdaptiveMaxPool1dConfig::new(0).try_init(), &text("AdaptiveMaxPool1dConfig", "output_size"));
    refused(Interpolate2dConfig::new().try_init(), &text("Interpolate2dConfig", "output_size"));
    let corners = UpsampleConfig::new().with_output_size(Some(vec![2])).with_align_corners(true);
    refused(corners.try_init(), &text("UpsampleConfig", "align_corners"));
    refused(PixelShuffleConfig::new(0).try_init(), &text("PixelShuffleConfig", "upscale_factor"));
    refused(ChannelShuffleConfig::new(0).try_init(), &text("ChannelShuffleConfig", "groups"));
    refused(Unfold4dConfig::new([0, 1]).try_init(), &text("Unfold4dConfig", "kernel_size"));
    refused(Fold4dConfig::new([1, 4], [2, 2]).try_init(), &text("Fold4dConfig", "output_size"));
    refused(LocalResponseNormConfig::new(0).try_init(), &text("LocalResponseNormConfig", "size"));
}

#[test]
fn x_211_spatial_layers_name_themselves_when_an_input_does_not_fit() {
    let zeros = |shape: [usize; 4]| Tensor::<B, 4>::zeros(shape, CPU);
    let conv = ConvTranspose2dConfig::new([4, 2], [3, 3]).init::<B>(CPU);
    let text = "conv_transpose2d: wrong number of channels (dimension 1) of the input; expected [batch, 4, ..], got \
                [1, 3, 2, 2]";
    assert_eq!(panics(|| conv.forward(zeros([1, 3, 2, 2]))), text);
    let reflect = Conv2dConfig::new([1, 1], [3, 3]).with_padding(PaddingConfig2d::Explicit(2, 2));
    let conv = reflect.with_padding_mode(PaddingMode::Reflect).init::<B>(CPU);
    let message = panics(|| conv.forward(zeros([1, 1, 2, 4])));
    assert!(message.starts_with("conv2d: ") && message.contains("dimension 2 of [1, 1, 2, 4]"), "{message}");
    let pool = LpPool2dConfig::new(2.0, [3, 1]).init();
    let message = panics(|| pool.forward(zeros([1, 1, 2, 2])));
    assert!(message.starts_with("lp_pool2d: the window is larger than the padded input"), "{message}");
    let pad = ReflectionPad2dConfig::new([(0, 2), (0, 0)]).init();
    let message = panics(|| pad.forward(zeros([1, 1, 2, 2])));
    assert!(message.starts_with("reflection_pad2d: dimension 2 of [1, 1, 2, 2]"), "{message}");
    let unpool = MaxUnpool2dConfig::new([2, 2]).init();
    let message = panics(|| unpool.forward(zeros([1, 1, 1, 1]), int([[[[0, 1]]]])));
    assert!(message.starts_with("max_unpool2d: indices and input have different shapes"), "{message}");
    let shuffle = PixelShuffleConfig::new(2).init();
    let message = panics(|| shuffle.forward(zeros([1, 3, 1, 1])));
    assert!(message.starts_with("pixel_shuffle: wrong number of channels"), "{message}");
    let fold = Fold4dConfig::new([3, 3], [2, 2]).init();
    let message = panics(|| fold.forward(Tensor::<B, 3>::zeros([1, 4, 3], CPU)));
    assert!(message.starts_with("fold4d: wrong shape of the columns"), "{message}");
    let upsample = UpsampleConfig::new().with_output_size(Some(vec![2, 2, 2])).init();
    let message = panics(|| upsample.forward(zeros([1, 1, 2, 2])));
    assert!(message.starts_with("upsample: wrong number of spatial dimensions"), "{message}");
}
