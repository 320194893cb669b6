use super::convolution::padded;
use super::init::{WeightAndBias, check_channels};
use crate::PaddingConfig2d;
use crate::display::{one_line, with_windows};
use crate::padding::{Padding, PaddingMode, Windows};
use crate::spatial::{check_windows, expect_channels, spatial};
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::module::try_deform_conv2d;
use burn_core::tensor::ops::{ConvOptions, try_in_operation};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Options of [`DeformConv2d`].
#[derive(Config, Debug)]
pub struct DeformConv2dConfig {
    /// Number of input channels, and of output channels.
    pub channels: [usize; 2],
    /// Kernel size: height and width.
    pub kernel_size: [usize; 2],
    /// Stride of the convolution: height and width.
    #[config(default = "[1, 1]")]
    pub stride: [usize; 2],
    /// Dilation (distance between kernel elements): height and width.
    #[config(default = "[1, 1]")]
    pub dilation: [usize; 2],
    /// Number of groups of the weight; input and output channels are split into that many independent
    /// convolutions. PyTorch: `groups`.
    #[config(default = 1)]
    pub weight_groups: usize,
    /// Number of groups of input channels; those of one group share their offsets.
    #[config(default = 1)]
    pub offset_groups: usize,
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
impl DeformConv2dConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<DeformConv2d<B>, ConfigError> {
        let check = FieldCheck::of("DeformConv2dConfig");
        check_windows(check, self.kernel_size, self.stride, self.dilation)?;
        check_channels(check, self.channels, "weight_groups", self.weight_groups)?;
        let [inputs, outputs] = self.channels;
        let divides = self.offset_groups > 0 && inputs.is_multiple_of(self.offset_groups);
        let expected = format!("a divisor of the {inputs} input channels");
        check.ensure(divides, "offset_groups", &self.offset_groups, &expected)?;
        let (sizes, bias) = ([outputs, inputs / self.weight_groups], self.bias.then_some(outputs));
        let WeightAndBias { weight, bias } =
            WeightAndBias::try_new(check, sizes, &self.kernel_size, bias, &self.initializer, device)?;
        Ok(DeformConv2d {
            weight,
            bias,
            stride: self.stride,
            kernel_size: self.kernel_size,
            dilation: self.dilation,
            weight_groups: self.weight_groups,
            offset_groups: self.offset_groups,
            padding: Ignored(self.padding),
        })
    }
}

/// Two-dimensional deformable convolution layer (Dai et al. 2017; with a mask, Zhu et al. 2018): each kernel
/// element samples the input at its position plus an offset, by bilinear interpolation.
///
/// `y[b, o, p] = bias[o] + sum over c, k of weight[o, c, k] mask[b, k, p] x[b, c, p stride + k dilation +
/// offset[b, k, p]]`. Offsets and masks come from the model, usually from a convolution of `x`. PyTorch:
/// `torchvision.ops.DeformConv2d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::conv::{Conv2d, Conv2dConfig, DeformConv2d, DeformConv2dConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// // Two offsets for each of the nine kernel elements.
/// let offsets: Conv2d<NdArray> = Conv2dConfig::new([3, 2 * 9], [3, 3]).init(&device);
/// let conv: DeformConv2d<NdArray> = DeformConv2dConfig::new([3, 8], [3, 3]).init(&device);
/// let x = Tensor::ones([1, 3, 8, 8], &device);
/// let y = conv.forward(x.clone(), offsets.forward(x), None);
/// assert_eq!(y.dims(), [1, 8, 6, 6]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct DeformConv2d<B: Backend> {
    /// Weight, `[channels_out, channels_in / weight_groups, kernel_height, kernel_width]`.
    pub weight: Param<Tensor<B, 4>>,
    /// Bias, `[channels_out]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
    /// Stride of the convolution: height and width.
    pub stride: [usize; 2],
    /// Kernel size: height and width.
    pub kernel_size: [usize; 2],
    /// Dilation (distance between kernel elements): height and width.
    pub dilation: [usize; 2],
    /// Number of groups of the weight.
    pub weight_groups: usize,
    /// Number of groups of input channels that share their offsets.
    pub offset_groups: usize,
    /// Zero padding added to both sides of each spatial dimension.
    pub padding: Ignored<PaddingConfig2d>,
}

#[fallible(layer)]
impl<B: Backend> DeformConv2d<B> {
    /// Applies the convolution to `x: [batch, channels_in, height, width]` with `offset: [batch,
    /// offset_groups kernel_height kernel_width 2, height_out, width_out]` in pixels, vertical before
    /// horizontal, and `mask: [batch, offset_groups kernel_height kernel_width, height_out, width_out]`; the
    /// result is `[batch, channels_out, height_out, width_out]`.
    ///
    /// # Errors
    /// The number of channels is another, the kernel is larger than the padded input, or offset or mask have
    /// another shape.
    pub fn try_forward(
        &self,
        x: Tensor<B, 4>,
        offset: Tensor<B, 4>,
        mask: Option<Tensor<B, 4>>,
    ) -> Result<Tensor<B, 4>, TensorError> {
        const LAYER: &str = "deform_conv2d";
        expect_channels(LAYER, &x.dims(), self.weight.dims()[1] * self.weight_groups)?;
        let windows = Windows { kernel: self.kernel_size, stride: self.stride, dilation: self.dilation };
        let sides = self.padding.sides(LAYER, spatial(&x.dims()), &windows)?;
        let channels = 2 * self.offset_groups * self.kernel_size[0] * self.kernel_size[1];
        let found = offset.dims();
        if found[1] != channels {
            let message = format_args!(
                "wrong number of channels (dimension 1) of the offset; expected [batch, {channels}, ..], got {found:?}"
            );
            return Err(TensorError::argument(LAYER, message));
        }
        try_in_operation(LAYER, || {
            let (weight, bias) = (self.weight.val(), self.bias.as_ref().map(Param::val));
            let (x, padding) = padded(x, sides, PaddingMode::Zeros)?;
            let options = ConvOptions {
                stride: self.stride.into(),
                padding: padding.into(),
                dilation: self.dilation.into(),
                groups: self.weight_groups,
            };
            try_deform_conv2d(x, offset, weight, mask, bias, options)
        })
    }
}

impl<B: Backend> ModuleDisplay for DeformConv2d<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        with_windows(content, &self.stride, &self.kernel_size, &self.dilation)
            .add("weight_groups", &self.weight_groups)
            .add("offset_groups", &self.offset_groups)
            .add_debug("padding", &self.padding.0)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{DeformConv2d, DeformConv2dConfig};
    use crate::conv::{Conv2d, Conv2dConfig};
    use crate::{Initializer, PaddingConfig2d};
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn deform_conv2d_without_offsets_is_a_convolution() {
        let device = Default::default();
        // An even kernel pads the end by one more.
        let config = Conv2dConfig::new([2, 4], [2, 3]).with_groups(2).with_padding(PaddingConfig2d::Same);
        let conv: Conv2d<NdArray> = config.init(&device);
        let config = DeformConv2dConfig::new([2, 4], [2, 3]).with_weight_groups(2).with_offset_groups(2);
        let mut deform: DeformConv2d<NdArray> = config.with_padding(PaddingConfig2d::Same).init(&device);
        (deform.weight, deform.bias) = (conv.weight.clone(), conv.bias.clone());
        let x = Tensor::<NdArray, 4>::from_data(
            [[[[1.0, -2.0], [3.0, 5.0]], [[0.5, 4.0], [-1.0, 2.0]]]],
            &device,
        );
        let (expected, offset) = (conv.forward(x.clone()), Tensor::zeros([1, 24, 2, 2], &device));
        let found = deform.forward(x, offset, None).into_data().to_f64();
        for (found, expected) in found.into_iter().zip(expected.into_data().to_f64()) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn deform_conv2d_reads_at_its_offset_times_its_mask() {
        let device = Default::default();
        let config =
            DeformConv2dConfig::new([1, 1], [1, 1]).with_bias(false).with_initializer(Initializer::Ones);
        let conv: DeformConv2d<NdArray> = config.init(&device);
        let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [3.0, 5.0]]]], &device);
        // Half a pixel down, a quarter to the right.
        let offset = Tensor::from_data([[[[0.5, 0.0], [0.0, 0.0]], [[0.25, 0.0], [0.0, 1.0]]]], &device);
        let mask = Tensor::from_data([[[[2.0, 1.0], [0.0, 1.0]]]], &device);
        let y = conv.forward(x, offset, Some(mask)).into_data().to_f64();
        let first = 2.0 * (0.5 * (0.75 * 1.0 + 0.25 * 2.0) + 0.5 * (0.75 * 3.0 + 0.25 * 5.0));
        assert_eq!(y, [first, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn deform_conv2d_refuses_offset_groups_and_offsets_that_do_not_fit() {
        let config = DeformConv2dConfig::new([4, 2], [1, 1]).with_offset_groups(3);
        assert_eq!(
            config.try_init::<NdArray>(&Default::default()).unwrap_err().to_string(),
            "DeformConv2dConfig: invalid `offset_groups`; expected a divisor of the 4 input channels, got 3"
        );
        let device = Default::default();
        let conv: DeformConv2d<NdArray> = config.with_offset_groups(2).init(&device);
        let (x, offset) = (Tensor::ones([1, 4, 2, 2], &device), Tensor::ones([1, 2, 2, 2], &device));
        let text = "deform_conv2d: wrong number of channels (dimension 1) of the offset; expected [batch, 4, ..], got \
                    [1, 2, 2, 2]";
        assert!(conv.try_forward(x, offset, None).unwrap_err().to_string().starts_with(text));
    }
}
