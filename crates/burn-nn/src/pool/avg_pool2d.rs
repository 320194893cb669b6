use crate::PaddingConfig2d;
use crate::display::one_line;
use crate::padding::{Padding, Windows};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};
use burn_derive::fallible;

/// Options of [`AvgPool2d`].
#[derive(Config, Debug)]
pub struct AvgPool2dConfig {
    /// Kernel size: height and width.
    pub kernel_size: [usize; 2],
    /// Stride: vertical and horizontal; the kernel size unless it is given.
    #[config(default = "kernel_size")]
    pub stride: [usize; 2],
    /// Zero padding added to both sides of each spatial dimension.
    #[config(default = "PaddingConfig2d::Valid")]
    pub padding: PaddingConfig2d,
    /// Whether the zeros of the padding are part of the mean.
    #[config(default = true)]
    pub count_include_pad: bool,
}

#[fallible(config)]
impl AvgPool2dConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<AvgPool2d, ConfigError> {
        let check = FieldCheck::of("AvgPool2dConfig");
        check.all_at_least("kernel_size", &self.kernel_size, 1)?;
        check.all_at_least("stride", &self.stride, 1)?;
        Ok(AvgPool2d {
            kernel_size: self.kernel_size,
            stride: self.stride,
            padding: Ignored(self.padding),
            count_include_pad: self.count_include_pad,
        })
    }
}

/// Two-dimensional average pooling layer. PyTorch: `torch.nn.AvgPool2d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::pool::AvgPool2dConfig;
/// use burn::tensor::Tensor;
///
/// let pool = AvgPool2dConfig::new([2, 2]).init();
/// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [2.5]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct AvgPool2d {
    pub kernel_size: [usize; 2],
    pub stride: [usize; 2],
    pub padding: Ignored<PaddingConfig2d>,
    pub count_include_pad: bool,
}

impl AvgPool2d {
    /// Applies the pooling: `[batch, channels, height, width]` to `[batch, channels, height_out, width_out]`.
    ///
    /// # Panics
    /// The kernel is larger than the padded input.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let [_, _, height, width] = x.dims();
        let (kernel, stride) = (self.kernel_size, self.stride);
        match self.padding.of("avg_pool2d", [height, width], &Windows { kernel, stride, dilation: [1, 1] }) {
            Padding::Even(padding) => module::avg_pool2d(x, kernel, stride, padding, self.count_include_pad),
            Padding::Uneven(pairs) => {
                let mean =
                    |x: Tensor<B, 4>| module::avg_pool2d(x.pad(pairs, 0.0), kernel, stride, [0, 0], true);
                if self.count_include_pad {
                    return mean(x);
                }
                // Fraction of each window that is not padding.
                let share = mean(Tensor::ones([1, 1, height, width], &x.device()));
                mean(x) / share
            }
        }
    }
}

impl ModuleDisplay for AvgPool2d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add_debug("kernel_size", &self.kernel_size)
            .add_debug("stride", &self.stride)
            .add_debug("padding", &self.padding.0)
            .add("count_include_pad", &self.count_include_pad)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::AvgPool2dConfig;
    use crate::PaddingConfig2d;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn avg_pool2d_counts_uneven_padding_or_not() {
        let config = AvgPool2dConfig::new([2, 2]).with_stride([1, 1]).with_padding(PaddingConfig2d::Same);
        let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
        let y = config.init().forward(x.clone());
        assert_eq!(y.into_data().to_f64(), [2.5, 1.25, 1.75, 0.75]);
        let y = config.with_count_include_pad(false).init().forward(x);
        assert_eq!(y.into_data().to_f64(), [2.5, 2.5, 3.5, 3.0]);
    }
}
