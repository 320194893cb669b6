use crate::PaddingConfig2d;
use crate::display::one_line;
use crate::input::check_channels;
use crate::padding::{Padding, Windows};
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::ops::{ConvOptions, in_operation};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`Conv2d`].
#[derive(Config, Debug)]
pub struct Conv2dConfig {
    /// Number of input channels, and of output channels.
    pub channels: [usize; 2],
    /// Kernel size: height and width.
    pub kernel_size: [usize; 2],
    /// Stride of the convolution: vertical and horizontal.
    #[config(default = "[1, 1]")]
    pub stride: [usize; 2],
    /// Dilation: vertical and horizontal distance between kernel elements.
    #[config(default = "[1, 1]")]
    pub dilation: [usize; 2],
    /// Number of groups; input and output channels are split into that many independent convolutions.
    #[config(default = 1)]
    pub groups: usize,
    /// Zero padding added to both sides of each spatial dimension.
    #[config(default = "PaddingConfig2d::Valid")]
    pub padding: PaddingConfig2d,
    /// Whether the layer has a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Initializer of weight and bias, with the fans of the weight for both.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl Conv2dConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Conv2d<B>, ConfigError> {
        self.validate()?;
        let ([inputs, outputs], [height, width]) = (self.channels, self.kernel_size);
        let (groups, initializer) = (self.groups, &self.initializer);
        // The fans of the weight, for the bias too.
        let (fan_in, fan_out) = (inputs / groups * height * width, outputs * height * width);
        let bias = || initializer.init_with([outputs], Some(fan_in), Some(fan_out), device);
        Ok(Conv2d {
            weight: initializer.init([outputs, inputs / groups, height, width], device),
            bias: self.bias.then(bias),
            stride: self.stride,
            kernel_size: self.kernel_size,
            dilation: self.dilation,
            groups,
            padding: Ignored(self.padding),
        })
    }
}

impl Conv2dConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("Conv2dConfig");
        check.all_at_least("kernel_size", &self.kernel_size, 1)?;
        check.all_at_least("stride", &self.stride, 1)?;
        check.all_at_least("dilation", &self.dilation, 1)?;
        let divides = self.groups > 0 && self.channels.iter().all(|count| count % self.groups == 0);
        let expected = format!("a divisor of the channels {:?}", self.channels);
        check.ensure(divides, "groups", &self.groups, &expected)
    }
}

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
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Conv2d<B: Backend> {
    /// Weight, `[channels_out, channels_in / groups, kernel_height, kernel_width]`.
    pub weight: Param<Tensor<B, 4>>,
    /// Bias, `[channels_out]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
    pub stride: [usize; 2],
    pub kernel_size: [usize; 2],
    pub dilation: [usize; 2],
    pub groups: usize,
    pub padding: Ignored<PaddingConfig2d>,
}

impl<B: Backend> Conv2d<B> {
    /// Applies the convolution: `[batch, channels_in, height, width]` to
    /// `[batch, channels_out, height_out, width_out]`.
    ///
    /// # Panics
    /// The number of channels is another, or the kernel is larger than the padded input.
    #[track_caller]
    pub fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        check_channels("conv2d", &x.dims(), self.weight.dims()[1] * self.groups);
        let [_, _, height, width] = x.dims();
        let windows = Windows { kernel: self.kernel_size, stride: self.stride, dilation: self.dilation };
        let (x, padding) = match self.padding.of("conv2d", [height, width], &windows) {
            Padding::Even(padding) => (x, padding),
            Padding::Uneven(pairs) => (x.pad(pairs, 0.0), [0, 0]),
        };
        let options = ConvOptions {
            stride: self.stride.into(),
            padding: padding.into(),
            dilation: self.dilation.into(),
            groups: self.groups,
        };
        let bias = self.bias.as_ref().map(Param::val);
        in_operation("conv2d", || x.conv(self.weight.val(), bias, options))
    }
}

impl<B: Backend> ModuleDisplay for Conv2d<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add_debug("stride", &self.stride)
            .add_debug("kernel_size", &self.kernel_size)
            .add_debug("dilation", &self.dilation)
            .add("groups", &self.groups)
            .add_debug("padding", &self.padding.0)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{Conv2d, Conv2dConfig};
    use crate::{Initializer, PaddingConfig2d};
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn conv2d_of_ones_counts_what_it_sees() {
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
    fn conv2d_draws_the_bias_with_the_fans_of_its_weight() {
        // fan_in = 4 / 2 * 3 = 6 and fan_out = 400 * 3 = 1200, for weight and bias.
        let config = Conv2dConfig::new([4, 400], [3, 1]).with_groups(2);
        for (initializer, limit) in [
            (Initializer::XavierUniform { gain: 1.0 }, (6.0_f64 / 1206.0).sqrt()),
            (Initializer::KaimingUniform { gain: 1.0, fan_out_only: true }, (3.0_f64 / 1200.0).sqrt()),
            (Initializer::KaimingUniform { gain: 1.0, fan_out_only: false }, (3.0_f64 / 6.0).sqrt()),
        ] {
            let conv: Conv2d<NdArray> = config.clone().with_initializer(initializer).init(&Default::default());
            let bias = conv.bias.unwrap().val().into_data().to_f64();
            for values in [conv.weight.val().into_data().to_f64(), bias] {
                let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
                assert!(largest <= limit && largest > 0.95 * limit, "{largest} {limit}");
            }
        }
        for initializer in [
            Initializer::XavierNormal { gain: 1.0 },
            Initializer::KaimingNormal { gain: 1.0, fan_out_only: true },
        ] {
            let conv: Conv2d<NdArray> = config.clone().with_initializer(initializer).init(&Default::default());
            assert_eq!(conv.bias.unwrap().val().dims(), [400]);
        }
    }

    #[test]
    fn conv2d_prints_its_settings_and_parameters() {
        let config =
            Conv2dConfig::new([4, 8], [3, 1]).with_groups(2).with_padding(PaddingConfig2d::Explicit(1, 0));
        let conv: Conv2d<NdArray> = config.init(&Default::default());
        assert_eq!(
            conv.to_string(),
            "Conv2d {stride: [1, 1], kernel_size: [3, 1], dilation: [1, 1], groups: 2, padding: Explicit(1, 0), params: 56}"
        );
    }

    #[test]
    #[should_panic(expected = "Conv2dConfig: invalid `groups`; expected a divisor of the channels [4, 8], got 3")]
    fn conv2d_with_groups_that_do_not_divide_panics() {
        let _conv: Conv2d<NdArray> =
            Conv2dConfig::new([4, 8], [3, 3]).with_groups(3).init(&Default::default());
    }
}
