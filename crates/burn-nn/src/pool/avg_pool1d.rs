use crate::PaddingConfig1d;
use crate::display::one_line;
use crate::padding::{Padding, Windows};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};
use burn_derive::fallible;

/// Options of [`AvgPool1d`].
#[derive(Config, Debug)]
pub struct AvgPool1dConfig {
    /// Kernel size.
    pub kernel_size: usize,
    /// Stride; the kernel size unless it is given.
    #[config(default = "kernel_size")]
    pub stride: usize,
    /// Zero padding added to both sides of each spatial dimension.
    #[config(default = "PaddingConfig1d::Valid")]
    pub padding: PaddingConfig1d,
    /// Whether the zeros of the padding are part of the mean.
    #[config(default = true)]
    pub count_include_pad: bool,
}

#[fallible(config)]
impl AvgPool1dConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<AvgPool1d, ConfigError> {
        let check = FieldCheck::of("AvgPool1dConfig");
        check.at_least("kernel_size", self.kernel_size, 1)?;
        check.at_least("stride", self.stride, 1)?;
        Ok(AvgPool1d {
            kernel_size: self.kernel_size,
            stride: self.stride,
            padding: Ignored(self.padding),
            count_include_pad: self.count_include_pad,
        })
    }
}

/// One-dimensional average pooling layer. PyTorch: `torch.nn.AvgPool1d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::pool::AvgPool1dConfig;
/// use burn::tensor::Tensor;
///
/// let pool = AvgPool1dConfig::new(2).init();
/// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 4.0, 3.0]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [2.5]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct AvgPool1d {
    pub kernel_size: usize,
    pub stride: usize,
    pub padding: Ignored<PaddingConfig1d>,
    pub count_include_pad: bool,
}

impl AvgPool1d {
    /// Applies the pooling: `[batch, channels, length]` to `[batch, channels, length_out]`.
    ///
    /// # Panics
    /// The kernel is larger than the padded input.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [_, _, length] = x.dims();
        let (kernel, stride) = (self.kernel_size, self.stride);
        match self.padding.of("avg_pool1d", [length], &Windows { kernel: [kernel], stride: [stride], dilation: [1] }) {
            Padding::Even([padding]) => {
                module::avg_pool1d(x, kernel, stride, padding, self.count_include_pad)
            }
            Padding::Uneven(pairs) => {
                let mean = |x: Tensor<B, 3>| module::avg_pool1d(x.pad(pairs, 0.0), kernel, stride, 0, true);
                if self.count_include_pad {
                    return mean(x);
                }
                // Fraction of each window that is not padding.
                let share = mean(Tensor::ones([1, 1, length], &x.device()));
                mean(x) / share
            }
        }
    }
}

impl ModuleDisplay for AvgPool1d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add("kernel_size", &self.kernel_size)
            .add("stride", &self.stride)
            .add_debug("padding", &self.padding.0)
            .add("count_include_pad", &self.count_include_pad)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::AvgPool1dConfig;
    use crate::PaddingConfig1d;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn avg_pool1d_counts_padding_or_not() {
        let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 6.0]]], &Default::default());
        let run = |config: AvgPool1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        let config = AvgPool1dConfig::new(2).with_stride(1);
        assert_eq!(run(config.clone()), [1.5, 4.0]);
        let same = config.clone().with_padding(PaddingConfig1d::Same);
        assert_eq!(run(same.clone()), [1.5, 4.0, 3.0]);
        assert_eq!(run(same.with_count_include_pad(false)), [1.5, 4.0, 6.0]);
        let explicit = config.with_padding(PaddingConfig1d::Explicit(1));
        assert_eq!(run(explicit.clone()), [0.5, 1.5, 4.0, 3.0]);
        assert_eq!(run(explicit.with_count_include_pad(false)), [1.0, 1.5, 4.0, 6.0]);
    }
}
