use super::init::{WeightAndBias, check_channels};
use crate::display::{one_line, with_windows};
use crate::spatial::{Sizes, check_windows, expect_channels, spatial};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::module::{self, ConvTransposeOptions};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Sizes of a transposed convolution over `N` spatial dimensions.
struct Transposed<const N: usize> {
    layer: &'static str,
    kernel: [usize; N],
    stride: [usize; N],
    padding: [usize; N],
    dilation: [usize; N],
}

impl<const N: usize> Transposed<N> {
    fn options(&self, padding_out: [usize; N], groups: usize) -> ConvTransposeOptions {
        ConvTransposeOptions {
            stride: self.stride.into(),
            padding: self.padding.into(),
            padding_out: padding_out.into(),
            dilation: self.dilation.into(),
            groups,
        }
    }

    /// Output padding with which the output has the sizes `output`.
    #[track_caller]
    fn padding_out_for(&self, input: [usize; N], output: [usize; N]) -> Result<[usize; N], TensorError> {
        // `None` where a size would be negative.
        let least = |d: usize| {
            let spread = input[d].checked_sub(1)?.checked_mul(self.stride[d])?;
            let reach = self.kernel[d].checked_sub(1)?.checked_mul(self.dilation[d])?;
            spread.checked_add(reach)?.checked_add(1)?.checked_sub(self.padding[d].checked_mul(2)?)
        };
        let least: [Option<usize>; N] = core::array::from_fn(least);
        let padding = |d: usize| {
            let extra = output[d].checked_sub(least[d]?)?;
            (extra < self.stride[d]).then_some(extra)
        };
        let padding: [Option<usize>; N] = core::array::from_fn(padding);
        if padding.iter().all(Option::is_some) {
            return Ok(padding.map(Option::unwrap_or_default));
        }
        let least = least.map(Option::unwrap_or_default);
        let most: [usize; N] = core::array::from_fn(|d| least[d].saturating_add(self.stride[d] - 1));
        let message = format_args!(
            "impossible output size for the input {input:?}; expected at least {least:?} and at most {most:?}, got \
             {output:?}"
        );
        Err(TensorError::argument(self.layer, message))
    }
}

macro_rules! conv_transpose {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $function:ident, $n:literal, $rank:literal, $sizes:ty,
        $along:literal, $kernel:literal, $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            /// Number of input channels, and of output channels.
            pub channels: [usize; 2],
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride", $along, ".")]
            #[config(default = "Sizes::repeat(1)")]
            pub stride: $sizes,
            #[doc = concat!("Dilation (distance between kernel elements)", $along, ".")]
            #[config(default = "Sizes::repeat(1)")]
            pub dilation: $sizes,
            /// Number of groups; input and output channels are split into that many independent convolutions.
            #[config(default = 1)]
            pub groups: usize,
            /// Padding of the convolution whose gradient this is: elements removed from both sides of the
            /// output.
            #[config(default = "Sizes::repeat(0)")]
            pub padding: $sizes,
            /// Output padding: additional size of the output at the end of each spatial dimension, less than
            /// the stride or the dilation. PyTorch: `output_padding`.
            #[config(default = "Sizes::repeat(0)")]
            pub padding_out: $sizes,
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
                let (stride, dilation): ([usize; $n], [usize; $n]) =
                    (self.stride.array(), self.dilation.array());
                let padding_out: [usize; $n] = self.padding_out.array();
                let fits = (0..$n).all(|d| padding_out[d] < stride[d].max(dilation[d]));
                let expected = "less than the stride or the dilation";
                check.ensure(fits, "padding_out", &self.padding_out, expected)?;
                let [inputs, outputs] = self.channels;
                let kernel: [usize; $n] = self.kernel_size.array();
                let (sizes, bias) = ([inputs, outputs / self.groups], self.bias.then_some(outputs));
                let WeightAndBias { weight, bias } =
                    WeightAndBias::try_new(check, sizes, &kernel, bias, &self.initializer, device)?;
                Ok($layer {
                    weight,
                    bias,
                    stride: self.stride,
                    kernel_size: self.kernel_size,
                    dilation: self.dilation,
                    groups: self.groups,
                    padding: self.padding,
                    padding_out: self.padding_out,
                })
            }
        }

        $(#[$docs])*
        #[derive(Module, Debug)]
        #[module(custom_display)]
        pub struct $layer<B: Backend> {
            #[doc = concat!("Weight, `[channels_in, channels_out / groups, ", $kernel, "]`.")]
            pub weight: Param<Tensor<B, $rank>>,
            /// Bias, `[channels_out]`.
            pub bias: Option<Param<Tensor<B, 1>>>,
            #[doc = concat!("Stride", $along, ".")]
            pub stride: $sizes,
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Dilation (distance between kernel elements)", $along, ".")]
            pub dilation: $sizes,
            /// Number of groups.
            pub groups: usize,
            /// Elements removed from both sides of the output.
            pub padding: $sizes,
            /// Output padding: additional size of the output at the end of each spatial dimension.
            pub padding_out: $sizes,
        }

        #[fallible(layer)]
        impl<B: Backend> $layer<B> {
            #[doc = concat!("Applies the transposed convolution: `", $from, "` to `", $to, "`.")]
            ///
            /// # Errors
            /// The number of channels is another, or nothing is left of the output.
            pub fn try_forward(&self, x: Tensor<B, $rank>) -> Result<Tensor<B, $rank>, TensorError> {
                self.transpose(x, self.padding_out.array())
            }

            /// Applies the transposed convolution with the output padding that gives `output_size`, in place
            /// of the layer's. PyTorch: `forward(x, output_size=..)`.
            ///
            /// # Errors
            /// The number of channels is another, or the stride gives no output of this size.
            pub fn try_forward_with_size(
                &self,
                x: Tensor<B, $rank>,
                output_size: $sizes,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                let input = spatial(&x.dims());
                let padding_out = self.sizes().padding_out_for(input, output_size.array())?;
                self.transpose(x, padding_out)
            }

            fn sizes(&self) -> Transposed<$n> {
                Transposed {
                    layer: $name,
                    kernel: self.kernel_size.array(),
                    stride: self.stride.array(),
                    padding: self.padding.array(),
                    dilation: self.dilation.array(),
                }
            }

            #[track_caller]
            fn transpose(
                &self,
                x: Tensor<B, $rank>,
                padding_out: [usize; $n],
            ) -> Result<Tensor<B, $rank>, TensorError> {
                expect_channels($name, &x.dims(), self.weight.dims()[0])?;
                let options = self.sizes().options(padding_out, self.groups);
                try_in_operation($name, || {
                    let (weight, bias) = (self.weight.val(), self.bias.as_ref().map(Param::val));
                    module::$function(x, weight, bias, options)
                })
            }
        }

        impl<B: Backend> ModuleDisplay for $layer<B> {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                with_windows(content, &self.stride, &self.kernel_size, &self.dilation)
                    .add("groups", &self.groups)
                    .add_debug("padding", &self.padding)
                    .add_debug("padding_out", &self.padding_out)
                    .optional()
            }
        }
    };
}

conv_transpose! {
    /// One-dimensional transposed convolution layer: `[batch, channels_in, length]` to
    /// `[batch, channels_out, length_out]`, the gradient of a convolution with respect to its input.
    ///
    /// `length_out = (length - 1) stride - 2 padding + dilation (kernel_size - 1) + padding_out + 1`.
    /// PyTorch: `torch.nn.ConvTranspose1d`, with the same initialization of weight and bias.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::conv::{ConvTranspose1d, ConvTranspose1dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let conv: ConvTranspose1d<NdArray> = ConvTranspose1dConfig::new([4, 2], 3).with_stride(2).init(&device);
    /// assert_eq!(conv.forward(Tensor::ones([1, 4, 8], &device)).dims(), [1, 2, 17]);
    /// assert_eq!(conv.forward_with_size(Tensor::ones([1, 4, 8], &device), 18).dims(), [1, 2, 18]);
    /// ```
    ConvTranspose1d, ConvTranspose1dConfig, "conv_transpose1d", try_conv_transpose1d, 1, 3, usize, "",
    "kernel_size", "[batch, channels_in, length]", "[batch, channels_out, length_out]"
}

conv_transpose! {
    /// Two-dimensional transposed convolution layer: `[batch, channels_in, height, width]` to `[batch,
    /// channels_out, height_out, width_out]`, the gradient of a convolution with respect to its input.
    ///
    /// `height_out = (height - 1) stride - 2 padding + dilation (kernel_size - 1) + padding_out + 1`, and so
    /// the width. PyTorch: `torch.nn.ConvTranspose2d`, with the same initialization of weight and bias.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::conv::{ConvTranspose2d, ConvTranspose2dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let config = ConvTranspose2dConfig::new([4, 2], [3, 3]).with_stride([2, 2]).with_padding([1, 1]);
    /// let conv: ConvTranspose2d<NdArray> = config.with_padding_out([1, 1]).init(&device);
    /// let y = conv.forward(Tensor::ones([1, 4, 8, 6], &device));
    /// assert_eq!(y.dims(), [1, 2, 16, 12]);
    /// ```
    ConvTranspose2d, ConvTranspose2dConfig, "conv_transpose2d", try_conv_transpose2d, 2, 4, [usize; 2],
    ": height and width", "kernel_height, kernel_width", "[batch, channels_in, height, width]",
    "[batch, channels_out, height_out, width_out]"
}

conv_transpose! {
    /// Three-dimensional transposed convolution layer: `[batch, channels_in, depth, height, width]` to
    /// `[batch, channels_out, depth_out, height_out, width_out]`, the gradient of a convolution with respect
    /// to its input.
    ///
    /// `depth_out = (depth - 1) stride - 2 padding + dilation (kernel_size - 1) + padding_out + 1`, and so
    /// height and width. PyTorch: `torch.nn.ConvTranspose3d`, with the same initialization of weight and
    /// bias.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::conv::{ConvTranspose3d, ConvTranspose3dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let conv: ConvTranspose3d<NdArray> =
    ///     ConvTranspose3dConfig::new([2, 1], [2, 2, 2]).with_stride([2, 2, 2]).init(&device);
    /// let y = conv.forward(Tensor::ones([1, 2, 3, 4, 5], &device));
    /// assert_eq!(y.dims(), [1, 1, 6, 8, 10]);
    /// ```
    ConvTranspose3d, ConvTranspose3dConfig, "conv_transpose3d", try_conv_transpose3d, 3, 5, [usize; 3],
    ": depth, height and width", "kernel_depth, kernel_height, kernel_width",
    "[batch, channels_in, depth, height, width]", "[batch, channels_out, depth_out, height_out, width_out]"
}

#[cfg(test)]
mod tests {
    use super::{ConvTranspose1d, ConvTranspose1dConfig, ConvTranspose2d, ConvTranspose2dConfig};
    use crate::Initializer;
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn conv_transpose1d_of_ones_spreads_each_element() {
        let device = Default::default();
        let config =
            ConvTranspose1dConfig::new([1, 1], 2).with_initializer(Initializer::Ones).with_bias(false);
        let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 3.0]]], &device);
        let run = |config: ConvTranspose1dConfig| {
            config.init::<NdArray>(&device).forward(x.clone()).into_data().to_f64()
        };
        assert_eq!(run(config.clone()), [1.0, 3.0, 5.0, 3.0]);
        assert_eq!(run(config.clone().with_padding(1)), [3.0, 5.0]);
        let apart = config.with_stride(3);
        assert_eq!(run(apart.clone()), [1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 3.0, 3.0]);
        assert_eq!(run(apart.with_padding_out(2))[8..], [0.0, 0.0]);
    }

    #[test]
    fn conv_transpose1d_reaches_every_size_of_its_stride() {
        let device = Default::default();
        let conv: ConvTranspose1d<NdArray> =
            ConvTranspose1dConfig::new([1, 1], 2).with_stride(3).init(&device);
        for size in 8..=10 {
            assert_eq!(conv.forward_with_size(Tensor::ones([1, 1, 3], &device), size).dims(), [1, 1, size]);
        }
        for size in [7, 11] {
            let error = conv.try_forward_with_size(Tensor::ones([1, 1, 3], &device), size).unwrap_err();
            let text = "conv_transpose1d: impossible output size for the input [3]; expected at least [8] and at \
                        most [10], got ";
            assert!(error.to_string().starts_with(text), "{error}");
        }
    }

    #[test]
    fn conv_transpose2d_prints_its_settings_and_parameters() {
        let config = ConvTranspose2dConfig::new([4, 8], [3, 1]).with_groups(2).with_stride([2, 1]);
        let conv: ConvTranspose2d<NdArray> = config.with_padding_out([1, 0]).init(&Default::default());
        assert_eq!(
            conv.to_string(),
            "ConvTranspose2d {stride: [2, 1], kernel_size: [3, 1], dilation: [1, 1], groups: 2, padding: [0, 0], \
             padding_out: [1, 0], params: 56}"
        );
    }
}
