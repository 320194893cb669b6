use crate::PaddingConfig1d;
use crate::display::one_line;
use crate::input::check_channels;
use crate::padding::{Padding, Windows};
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::ops::{ConvOptions, in_operation};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`Conv1d`].
#[derive(Config, Debug)]
pub struct Conv1dConfig {
    /// Number of input channels, and of output channels.
    pub channels: [usize; 2],
    /// Kernel size.
    pub kernel_size: usize,
    /// Stride of the convolution.
    #[config(default = 1)]
    pub stride: usize,
    /// Dilation: distance between kernel elements.
    #[config(default = 1)]
    pub dilation: usize,
    /// Number of groups; input and output channels are split into that many independent convolutions.
    #[config(default = 1)]
    pub groups: usize,
    /// Zero padding added to both sides of each spatial dimension.
    #[config(default = "PaddingConfig1d::Valid")]
    pub padding: PaddingConfig1d,
    /// Whether the layer has a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Initializer of weight and bias, with the fans of the weight for both.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl Conv1dConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Conv1d<B>, ConfigError> {
        self.validate()?;
        let ([inputs, outputs], length) = (self.channels, self.kernel_size);
        let (groups, initializer) = (self.groups, &self.initializer);
        // The fans of the weight, for the bias too.
        let (fan_in, fan_out) = (inputs / groups * length, outputs * length);
        let bias = || initializer.init_with([outputs], Some(fan_in), Some(fan_out), device);
        Ok(Conv1d {
            weight: initializer.init([outputs, inputs / groups, length], device),
            bias: self.bias.then(bias),
            stride: self.stride,
            kernel_size: self.kernel_size,
            dilation: self.dilation,
            groups,
            padding: Ignored(self.padding),
        })
    }
}

impl Conv1dConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("Conv1dConfig");
        check.at_least("kernel_size", self.kernel_size, 1)?;
        check.at_least("stride", self.stride, 1)?;
        check.at_least("dilation", self.dilation, 1)?;
        let divides = self.groups > 0 && self.channels.iter().all(|count| count % self.groups == 0);
        let expected = format!("a divisor of the channels {:?}", self.channels);
        check.ensure(divides, "groups", &self.groups, &expected)
    }
}

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
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Conv1d<B: Backend> {
    /// Weight, `[channels_out, channels_in / groups, kernel_size]`.
    pub weight: Param<Tensor<B, 3>>,
    /// Bias, `[channels_out]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
    pub stride: usize,
    pub kernel_size: usize,
    pub dilation: usize,
    pub groups: usize,
    pub padding: Ignored<PaddingConfig1d>,
}

impl<B: Backend> Conv1d<B> {
    /// Applies the convolution: `[batch, channels_in, length]` to `[batch, channels_out, length_out]`.
    ///
    /// # Panics
    /// The number of channels is another, or the kernel is larger than the padded input.
    #[track_caller]
    pub fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        check_channels("conv1d", &x.dims(), self.weight.dims()[1] * self.groups);
        let [_, _, length] = x.dims();
        let windows =
            Windows { kernel: [self.kernel_size], stride: [self.stride], dilation: [self.dilation] };
        let (x, padding) = match self.padding.of("conv1d", [length], &windows) {
            Padding::Even(padding) => (x, padding),
            Padding::Uneven(pairs) => (x.pad(pairs, 0.0), [0]),
        };
        let options = ConvOptions {
            stride: [self.stride].into(),
            padding: padding.into(),
            dilation: [self.dilation].into(),
            groups: self.groups,
        };
        let bias = self.bias.as_ref().map(Param::val);
        in_operation("conv1d", || x.conv(self.weight.val(), bias, options))
    }
}

impl<B: Backend> ModuleDisplay for Conv1d<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add("stride", &self.stride)
            .add("kernel_size", &self.kernel_size)
            .add("dilation", &self.dilation)
            .add("groups", &self.groups)
            .add_debug("padding", &self.padding.0)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{Conv1d, Conv1dConfig};
    use crate::{Initializer, PaddingConfig1d};
    use alloc::string::ToString;
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
        assert_eq!(
            run(config.clone().with_padding(PaddingConfig1d::Explicit(1)).with_stride(2)),
            [1.0, 5.0, 4.0]
        );
        assert_eq!(run(config.with_dilation(2)), [4.0, 6.0]);
    }

    #[test]
    fn conv1d_draws_the_bias_with_the_fans_of_its_weight() {
        // fan_in = 4 / 2 * 3 = 6 and fan_out = 400 * 3 = 1200, for weight and bias.
        let config = Conv1dConfig::new([4, 400], 3).with_groups(2);
        for (initializer, limit) in [
            (Initializer::XavierUniform { gain: 1.0 }, (6.0_f64 / 1206.0).sqrt()),
            (Initializer::KaimingUniform { gain: 1.0, fan_out_only: true }, (3.0_f64 / 1200.0).sqrt()),
            (Initializer::KaimingUniform { gain: 1.0, fan_out_only: false }, (3.0_f64 / 6.0).sqrt()),
        ] {
            let conv: Conv1d<NdArray> = config.clone().with_initializer(initializer).init(&Default::default());
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
            let conv: Conv1d<NdArray> = config.clone().with_initializer(initializer).init(&Default::default());
            assert_eq!(conv.bias.unwrap().val().dims(), [400]);
        }
    }

    #[test]
    fn conv1d_prints_its_settings_and_parameters() {
        let conv: Conv1d<NdArray> = Conv1dConfig::new([4, 8], 3).init(&Default::default());
        assert_eq!(
            conv.to_string(),
            "Conv1d {stride: 1, kernel_size: 3, dilation: 1, groups: 1, padding: Valid, params: 104}"
        );
    }
}
