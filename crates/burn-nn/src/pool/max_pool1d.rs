use crate::PaddingConfig1d;
use crate::display::one_line;
use crate::padding::{Padding, Windows};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};
use burn_derive::fallible;

/// Options of [`MaxPool1d`].
#[derive(Config, Debug)]
pub struct MaxPool1dConfig {
    /// Kernel size.
    pub kernel_size: usize,
    /// Stride; the kernel size unless it is given.
    #[config(default = "kernel_size")]
    pub stride: usize,
    /// Padding added to both sides of each spatial dimension; it is never the maximum.
    #[config(default = "PaddingConfig1d::Valid")]
    pub padding: PaddingConfig1d,
    /// Dilation: distance between the elements of a window.
    #[config(default = 1)]
    pub dilation: usize,
}

#[fallible(config)]
impl MaxPool1dConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<MaxPool1d, ConfigError> {
        let check = FieldCheck::of("MaxPool1dConfig");
        check.at_least("kernel_size", self.kernel_size, 1)?;
        check.at_least("stride", self.stride, 1)?;
        check.at_least("dilation", self.dilation, 1)?;
        Ok(MaxPool1d {
            kernel_size: self.kernel_size,
            stride: self.stride,
            padding: Ignored(self.padding),
            dilation: self.dilation,
        })
    }
}

/// One-dimensional max pooling layer. PyTorch: `torch.nn.MaxPool1d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::pool::MaxPool1dConfig;
/// use burn::tensor::Tensor;
///
/// let pool = MaxPool1dConfig::new(2).with_stride(1).init();
/// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 4.0, 3.0]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [4.0, 4.0]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct MaxPool1d {
    pub kernel_size: usize,
    pub stride: usize,
    pub padding: Ignored<PaddingConfig1d>,
    pub dilation: usize,
}

impl MaxPool1d {
    /// Applies the pooling: `[batch, channels, length]` to `[batch, channels, length_out]`.
    ///
    /// # Panics
    /// The kernel is larger than the padded input.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [_, _, length] = x.dims();
        let windows =
            Windows { kernel: [self.kernel_size], stride: [self.stride], dilation: [self.dilation] };
        let (x, padding) = match self.padding.of("max_pool1d", [length], &windows) {
            Padding::Even([padding]) => (x, padding),
            Padding::Uneven(pairs) => (x.pad(pairs, f64::NEG_INFINITY), 0),
        };
        module::max_pool1d(x, self.kernel_size, self.stride, padding, self.dilation)
    }
}

impl ModuleDisplay for MaxPool1d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add("kernel_size", &self.kernel_size)
            .add("stride", &self.stride)
            .add_debug("padding", &self.padding.0)
            .add("dilation", &self.dilation)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::MaxPool1dConfig;
    use crate::PaddingConfig1d;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn max_pool1d_moves_its_window() {
        let x = Tensor::<NdArray, 3>::from_data([[[-1.0, -2.0, -5.0, -3.0, -4.0]]], &Default::default());
        let run = |config: MaxPool1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        let config = MaxPool1dConfig::new(2);
        assert_eq!(run(config.clone()), [-1.0, -3.0]);
        assert_eq!(run(config.clone().with_stride(1).with_dilation(2)), [-1.0, -2.0, -4.0]);
        assert_eq!(
            run(config.with_stride(1).with_padding(PaddingConfig1d::Same)),
            [-1.0, -2.0, -3.0, -3.0, -4.0]
        );
    }
}
