use super::init::{WeightAndBias, check_channels};
use crate::display::{one_line, with_windows};
use crate::padding::{Padding, PaddingMode, Sides, Windows, symmetric};
use crate::spatial::{Sizes, check_windows, expect_channels, spatial};
use crate::{PaddingConfig1d, PaddingConfig2d, PaddingConfig3d};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::ops::{ConvOptions, try_in_operation};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Options of a convolution over `N` spatial dimensions.
struct Convolution<const N: usize> {
    layer: &'static str,
    windows: Windows<N>,
    groups: usize,
    mode: PaddingMode,
}

impl<const N: usize> Convolution<N> {
    #[track_caller]
    fn forward<B: Backend, const D: usize>(
        self,
        x: Tensor<B, D>,
        padding: impl Padding<N>,
        weight: &Param<Tensor<B, D>>,
        bias: Option<&Param<Tensor<B, 1>>>,
    ) -> Result<Tensor<B, D>, TensorError> {
        let Convolution { layer, windows, groups, mode } = self;
        let dims = x.dims();
        expect_channels(layer, &dims, weight.dims()[1] * groups)?;
        let sides = padding.sides(layer, spatial(&dims), &windows)?;
        try_in_operation(layer, || {
            let (weight, bias) = (weight.val(), bias.map(Param::val));
            let (x, padding) = padded(x, sides, mode)?;
            let options = ConvOptions {
                stride: windows.stride.into(),
                padding: padding.into(),
                dilation: windows.dilation.into(),
                groups,
            };
            x.try_conv(weight, bias, options)
        })
    }
}

/// The input, and the zero padding that the convolution adds to it.
pub(super) fn padded<B: Backend, const D: usize, const N: usize>(
    x: Tensor<B, D>,
    sides: Sides<N>,
    mode: PaddingMode,
) -> Result<(Tensor<B, D>, [usize; N]), TensorError> {
    match symmetric(&sides) {
        Some(padding) if mode == PaddingMode::Zeros || padding == [0; N] => Ok((x, padding)),
        Some(_) | None => Ok((mode.pad(x, sides)?, [0; N])),
    }
}

macro_rules! convolution {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $n:literal, $rank:literal, $sizes:ty, $padding:ident,
        $along:literal, $kernel:literal, $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            /// Number of input channels, and of output channels.
            pub channels: [usize; 2],
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride of the convolution", $along, ".")]
            #[config(default = "Sizes::repeat(1)")]
            pub stride: $sizes,
            #[doc = concat!("Dilation (distance between kernel elements)", $along, ".")]
            #[config(default = "Sizes::repeat(1)")]
            pub dilation: $sizes,
            /// Number of groups; input and output channels are split into that many independent convolutions.
            #[config(default = 1)]
            pub groups: usize,
            /// Padding added to both sides of each spatial dimension.
            #[config(default = $padding::Valid)]
            pub padding: $padding,
            /// Values of the padding.
            #[config(default = PaddingMode::Zeros)]
            pub padding_mode: PaddingMode,
            /// Whether the layer has a learnable bias.
            #[config(default = true)]
            pub bias: bool,
            /// Initializer of weight and bias, with the fans of the weight for both.
            #[config(default = "Initializer::TORCH")]
            pub initializer: Initializer,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer, on `device`.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<$layer<B>, ConfigError> {
                let check = FieldCheck::of(stringify!($config));
                check_windows(check, self.kernel_size, self.stride, self.dilation)?;
                check_channels(check, self.channels, "groups", self.groups)?;
                let [inputs, outputs] = self.channels;
                let kernel: [usize; $n] = self.kernel_size.array();
                let (sizes, bias) = ([outputs, inputs / self.groups], self.bias.then_some(outputs));
                let WeightAndBias { weight, bias } =
                    WeightAndBias::try_new(check, sizes, &kernel, bias, &self.initializer, device)?;
                Ok($layer {
                    weight,
                    bias,
                    stride: self.stride,
                    kernel_size: self.kernel_size,
                    dilation: self.dilation,
                    groups: self.groups,
                    padding: Ignored(self.padding),
                    padding_mode: Ignored(self.padding_mode),
                })
            }
        }

        $(#[$docs])*
        #[derive(Module, Debug)]
        #[module(custom_display)]
        pub struct $layer<B: Backend> {
            #[doc = concat!("Weight, `[channels_out, channels_in / groups, ", $kernel, "]`.")]
            pub weight: Param<Tensor<B, $rank>>,
            /// Bias, `[channels_out]`.
            pub bias: Option<Param<Tensor<B, 1>>>,
            #[doc = concat!("Stride of the convolution", $along, ".")]
            pub stride: $sizes,
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Dilation (distance between kernel elements)", $along, ".")]
            pub dilation: $sizes,
            /// Number of groups.
            pub groups: usize,
            /// Padding added to both sides of each spatial dimension.
            pub padding: Ignored<$padding>,
            /// Values of the padding.
            pub padding_mode: Ignored<PaddingMode>,
        }

        #[fallible(layer)]
        impl<B: Backend> $layer<B> {
            #[doc = concat!("Applies the convolution: `", $from, "` to `", $to, "`.")]
            ///
            /// # Errors
            /// The number of channels is another, or the kernel is larger than the padded input.
            pub fn try_forward(&self, x: Tensor<B, $rank>) -> Result<Tensor<B, $rank>, TensorError> {
                let windows = Windows {
                    kernel: self.kernel_size.array(),
                    stride: self.stride.array(),
                    dilation: self.dilation.array(),
                };
                let mode = self.padding_mode.0;
                let convolution = Convolution::<$n> { layer: $name, windows, groups: self.groups, mode };
                convolution.forward(x, self.padding.0, &self.weight, self.bias.as_ref())
            }
        }

        impl<B: Backend> ModuleDisplay for $layer<B> {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                let content = with_windows(content, &self.stride, &self.kernel_size, &self.dilation)
                    .add("groups", &self.groups)
                    .add_debug("padding", &self.padding.0);
                match self.padding_mode.0 {
                    PaddingMode::Zeros => content.optional(),
                    mode => content.add_debug("padding_mode", &mode).optional(),
                }
            }
        }
    };
}

convolution! {
    /// One-dimensional convolution layer (cross-correlation): `[batch, channels_in, length]` to
    /// `[batch, channels_out, length_out]`.
    ///
    /// `y[b, o, i] = bias[o] + sum over c, k of weight[o, c, k] x[b, c, i stride + k dilation]`. PyTorch:
    /// `torch.nn.Conv1d`, with the same initialization of weight and bias.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::PaddingConfig1d;
    /// use burn::nn::conv::{Conv1d, Conv1dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let conv: Conv1d<NdArray> =
    ///     Conv1dConfig::new([3, 8], 3).with_stride(2).with_padding(PaddingConfig1d::Same).init(&device);
    /// let y = conv.forward(Tensor::ones([1, 3, 32], &device));
    /// assert_eq!(y.dims(), [1, 8, 16]);
    /// ```
    Conv1d, Conv1dConfig, "conv1d", 1, 3, usize, PaddingConfig1d, "", "kernel_size",
    "[batch, channels_in, length]", "[batch, channels_out, length_out]"
}

convolution! {
    /// Two-dimensional convolution layer (cross-correlation): `[batch, channels_in, height, width]` to
    /// `[batch, channels_out, height_out, width_out]`.
    ///
    /// `y[b, o, i, j] = bias[o] + sum over c, k, l of weight[o, c, k, l] x[b, c, i stride + k dilation, ..]`.
    /// PyTorch: `torch.nn.Conv2d`, with the same initialization of weight and bias.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::PaddingConfig2d;
    /// use burn::nn::conv::{Conv2d, Conv2dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let conv: Conv2d<NdArray> =
    ///     Conv2dConfig::new([3, 8], [3, 3]).with_stride([2, 2]).with_padding(PaddingConfig2d::Same).init(&device);
    /// let y = conv.forward(Tensor::ones([1, 3, 32, 28], &device));
    /// assert_eq!(y.dims(), [1, 8, 16, 14]);
    /// ```
    Conv2d, Conv2dConfig, "conv2d", 2, 4, [usize; 2], PaddingConfig2d, ": height and width",
    "kernel_height, kernel_width", "[batch, channels_in, height, width]",
    "[batch, channels_out, height_out, width_out]"
}

convolution! {
    /// Three-dimensional convolution layer (cross-correlation): `[batch, channels_in, depth, height, width]`
    /// to `[batch, channels_out, depth_out, height_out, width_out]`.
    ///
    /// `y[b, o, i, ..] = bias[o] + sum over c, k, .. of weight[o, c, k, ..] x[b, c, i stride + k dilation,
    /// ..]`. PyTorch: `torch.nn.Conv3d`, with the same initialization of weight and bias.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::PaddingConfig3d;
    /// use burn::nn::conv::{Conv3d, Conv3dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let conv: Conv3d<NdArray> =
    ///     Conv3dConfig::new([2, 4], [3, 3, 3]).with_padding(PaddingConfig3d::Explicit(0, 1, 1)).init(&device);
    /// let y = conv.forward(Tensor::ones([1, 2, 8, 6, 6], &device));
    /// assert_eq!(y.dims(), [1, 4, 6, 6, 6]);
    /// ```
    Conv3d, Conv3dConfig, "conv3d", 3, 5, [usize; 3], PaddingConfig3d, ": depth, height and width",
    "kernel_depth, kernel_height, kernel_width", "[batch, channels_in, depth, height, width]",
    "[batch, channels_out, depth_out, height_out, width_out]"
}

#[cfg(test)]
mod tests {
    use super::{Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, Conv3d, Conv3dConfig};
    use crate::padding::PaddingMode;
    use crate::{Initializer, PaddingConfig1d, PaddingConfig2d};
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn conv1d_of_ones_sums_its_window() {
        let device = Default::default();
        let config = Conv1dConfig::new([1, 1], 2).with_initializer(Initializer::Ones).with_bias(false);
        let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 3.0, 4.0]]], &device);
        let run =
            |config: Conv1dConfig| config.init::<NdArray>(&device).forward(x.clone()).into_data().to_f64();
        assert_eq!(run(config.clone()), [3.0, 5.0, 7.0]);
        assert_eq!(run(config.clone().with_padding(PaddingConfig1d::Same)), [3.0, 5.0, 7.0, 4.0]);
        let both = config.clone().with_padding(PaddingConfig1d::Explicit(1));
        assert_eq!(run(both.with_stride(2)), [1.0, 5.0, 4.0]);
        assert_eq!(run(config.clone().with_dilation(2)), [4.0, 6.0]);
        let ends = config.with_padding(PaddingConfig1d::Asymmetric(2, 1));
        assert_eq!(run(ends.clone()), [0.0, 1.0, 3.0, 5.0, 7.0, 4.0]);
        let with = |mode| run(ends.clone().with_padding_mode(mode));
        assert_eq!(with(PaddingMode::Reflect), [5.0, 3.0, 3.0, 5.0, 7.0, 7.0]);
        assert_eq!(with(PaddingMode::Replicate), [2.0, 2.0, 3.0, 5.0, 7.0, 8.0]);
        assert_eq!(with(PaddingMode::Circular), [7.0, 5.0, 3.0, 5.0, 7.0, 5.0]);
    }

    #[test]
    fn conv2d_of_ones_counts_the_elements_of_its_window() {
        let device = Default::default();
        let conv: Conv2d<NdArray> = Conv2dConfig::new([1, 1], [2, 2])
            .with_padding(PaddingConfig2d::Same)
            .with_initializer(Initializer::Ones)
            .with_bias(false)
            .init(&device);
        let y = conv.forward(Tensor::ones([1, 1, 2, 3], &device));
        // The odd row and column of padding are at the end.
        assert_eq!(y.into_data().to_f64(), [4.0, 4.0, 2.0, 2.0, 2.0, 1.0]);
    }

    #[test]
    fn conv_bias_is_drawn_with_the_fans_of_the_weight() {
        // fan_in = 4 / 2 * 3 = 6 and fan_out = 400 * 3 = 1200, for weight and bias.
        let limits = [
            (Initializer::XavierUniform { gain: 1.0 }, (6.0_f64 / 1206.0).sqrt()),
            (Initializer::KaimingUniform { gain: 1.0, fan_out_only: true }, (3.0_f64 / 1200.0).sqrt()),
            (Initializer::KaimingUniform { gain: 1.0, fan_out_only: false }, (3.0_f64 / 6.0).sqrt()),
        ];
        for (initializer, limit) in limits {
            let device = Default::default();
            let config = Conv1dConfig::new([4, 400], 3).with_groups(2).with_initializer(initializer.clone());
            let conv1d: Conv1d<NdArray> = config.init(&device);
            let config =
                Conv3dConfig::new([4, 400], [3, 1, 1]).with_groups(2).with_initializer(initializer.clone());
            let conv3d: Conv3d<NdArray> = config.init(&device);
            let weights: [Vec<f64>; 2] =
                [conv1d.weight.val().into_data().to_f64(), conv3d.weight.val().into_data().to_f64()];
            let biases = [conv1d.bias, conv3d.bias].map(|bias| bias.unwrap().val().into_data().to_f64());
            for values in weights.into_iter().chain(biases) {
                let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
                assert!(largest <= limit && largest > 0.95 * limit, "{initializer:?}: {largest} {limit}");
            }
        }
    }

    #[test]
    fn convs_print_their_settings_and_parameters() {
        let device = Default::default();
        let conv: Conv1d<NdArray> = Conv1dConfig::new([4, 8], 3).init(&device);
        assert_eq!(
            conv.to_string(),
            "Conv1d {stride: 1, kernel_size: 3, dilation: 1, groups: 1, padding: Valid, params: 104}"
        );
        let config =
            Conv2dConfig::new([4, 8], [3, 1]).with_groups(2).with_padding(PaddingConfig2d::Explicit(1, 0));
        let conv: Conv2d<NdArray> = config.with_padding_mode(PaddingMode::Circular).init(&device);
        assert_eq!(
            conv.to_string(),
            "Conv2d {stride: [1, 1], kernel_size: [3, 1], dilation: [1, 1], groups: 2, padding: Explicit(1, 0), \
             padding_mode: Circular, params: 56}"
        );
    }

    #[test]
    #[should_panic(
        expected = "Conv2dConfig: invalid `groups`; expected a divisor of the channels [4, 8], got 3"
    )]
    fn conv2d_with_groups_that_do_not_divide_panics() {
        let _conv: Conv2d<NdArray> =
            Conv2dConfig::new([4, 8], [3, 3]).with_groups(3).init(&Default::default());
    }
}
