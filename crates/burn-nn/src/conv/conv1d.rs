use crate::PaddingConfig1d;
use crate::display::one_line;
use crate::padding::{Padding, Windows};
use burn_core::config::Config;
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::ops::ConvOptions;
use burn_core::tensor::{Backend, Tensor};

/// Options of [`Conv1d`].
#[derive(Config, Debug)]
pub struct Conv1dConfig {
    /// Channels that go in, and channels that come out.
    pub channels: [usize; 2],
    /// Length of the kernel.
    pub kernel_size: usize,
    /// How far the kernel moves.
    #[config(default = 1)]
    pub stride: usize,
    /// The distance of what the kernel reads.
    #[config(default = 1)]
    pub dilation: usize,
    /// Into how many parts the channels are divided that do not see each other.
    #[config(default = 1)]
    pub groups: usize,
    /// What is around the input.
    #[config(default = "PaddingConfig1d::Valid")]
    pub padding: PaddingConfig1d,
    /// Whether something is added to each channel.
    #[config(default = true)]
    pub bias: bool,
    /// How weight and bias are drawn, with the `fan_in` of the weight for both.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

impl Conv1dConfig {
    /// The layer, on `device`.
    ///
    /// # Panics
    /// The channels cannot be divided into `groups`.
    #[track_caller]
    pub fn init<B: Backend>(&self, device: &B::Device) -> Conv1d<B> {
        let ([inputs, outputs], length) = (self.channels, self.kernel_size);
        let (groups, initializer) = (self.groups, &self.initializer);
        super::check_groups("conv1d", self.channels, groups);
        let fan_in = inputs / groups * length;
        let bias = self.bias.then(|| initializer.init_with([outputs], Some(fan_in), None, device));
        Conv1d {
            weight: initializer.init([outputs, inputs / groups, length], device),
            bias,
            stride: self.stride,
            kernel_size: self.kernel_size,
            dilation: self.dilation,
            groups,
            padding: Ignored(self.padding),
        }
    }
}

/// Cross-correlation over the length: `[batch, channels_in, length]` becomes
/// `[batch, channels_out, length_out]`.
///
/// `y[b, o, i] = bias[o] + sum over c, k of weight[o, c, k] x[b, c, i stride + k dilation]`. PyTorch:
/// `torch.nn.Conv1d`; weight and bias start as they do there.
///
/// ```
/// use burn_core::tensor::Tensor;
/// use burn_ndarray::NdArray;
/// use burn_nn::PaddingConfig1d;
/// use burn_nn::conv::{Conv1d, Conv1dConfig};
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
    /// `[channels_out, channels_in / groups, length]`.
    pub weight: Param<Tensor<B, 3>>,
    /// `[channels_out]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
    pub stride: usize,
    pub kernel_size: usize,
    pub dilation: usize,
    pub groups: usize,
    pub padding: Ignored<PaddingConfig1d>,
}

impl<B: Backend> Conv1d<B> {
    /// `[batch, channels_in, length]` to `[batch, channels_out, length_out]`.
    ///
    /// # Panics
    /// The channels are others, or the kernel is larger than the padded input.
    #[track_caller]
    pub fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [_, _, length] = x.dims();
        let windows =
            Windows { kernel: [self.kernel_size], stride: [self.stride], dilation: [self.dilation] };
        let (x, padding) = match self.padding.of([length], &windows) {
            Padding::Even(padding) => (x, padding),
            Padding::Uneven(pairs) => (x.pad(pairs, 0.0), [0]),
        };
        let options = ConvOptions {
            stride: [self.stride].into(),
            padding: padding.into(),
            dilation: [self.dilation].into(),
            groups: self.groups,
        };
        x.conv(self.weight.val(), self.bias.as_ref().map(Param::val), options)
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
    fn conv1d_prints_its_settings_and_parameters() {
        let conv: Conv1d<NdArray> = Conv1dConfig::new([4, 8], 3).init(&Default::default());
        assert_eq!(
            conv.to_string(),
            "Conv1d {stride: 1, kernel_size: 3, dilation: 1, groups: 1, padding: Valid, params: 104}"
        );
    }
}
