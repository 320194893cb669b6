use crate::PaddingConfig2d;
use crate::display::one_line;
use crate::padding::{Padding, Windows};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};
use burn_derive::fallible;

/// Options of [`MaxPool2d`].
#[derive(Config, Debug)]
pub struct MaxPool2dConfig {
    /// Kernel size: height and width.
    pub kernel_size: [usize; 2],
    /// Stride: vertical and horizontal; the kernel size unless it is given.
    #[config(default = "kernel_size")]
    pub stride: [usize; 2],
    /// Padding added to both sides of each spatial dimension; it is never the maximum.
    #[config(default = "PaddingConfig2d::Valid")]
    pub padding: PaddingConfig2d,
    /// Dilation: vertical and horizontal distance between the elements of a window.
    #[config(default = "[1, 1]")]
    pub dilation: [usize; 2],
}

#[fallible(config)]
impl MaxPool2dConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<MaxPool2d, ConfigError> {
        let check = FieldCheck::of("MaxPool2dConfig");
        check.all_at_least("kernel_size", &self.kernel_size, 1)?;
        check.all_at_least("stride", &self.stride, 1)?;
        check.all_at_least("dilation", &self.dilation, 1)?;
        Ok(MaxPool2d {
            kernel_size: self.kernel_size,
            stride: self.stride,
            padding: Ignored(self.padding),
            dilation: self.dilation,
        })
    }
}

/// Two-dimensional max pooling layer. PyTorch: `torch.nn.MaxPool2d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::pool::MaxPool2dConfig;
/// use burn::tensor::Tensor;
///
/// let pool = MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init();
/// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [4.0]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct MaxPool2d {
    pub kernel_size: [usize; 2],
    pub stride: [usize; 2],
    pub padding: Ignored<PaddingConfig2d>,
    pub dilation: [usize; 2],
}

impl MaxPool2d {
    /// Applies the pooling: `[batch, channels, height, width]` to `[batch, channels, height_out, width_out]`.
    ///
    /// # Panics
    /// The kernel is larger than the padded input.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let [_, _, height, width] = x.dims();
        let windows = Windows { kernel: self.kernel_size, stride: self.stride, dilation: self.dilation };
        let (x, padding) = match self.padding.of("max_pool2d", [height, width], &windows) {
            Padding::Even(padding) => (x, padding),
            Padding::Uneven(pairs) => (x.pad(pairs, f64::NEG_INFINITY), [0, 0]),
        };
        module::max_pool2d(x, self.kernel_size, self.stride, padding, self.dilation)
    }
}

impl ModuleDisplay for MaxPool2d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add_debug("kernel_size", &self.kernel_size)
            .add_debug("stride", &self.stride)
            .add_debug("padding", &self.padding.0)
            .add_debug("dilation", &self.dilation)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::MaxPool2dConfig;
    use crate::PaddingConfig2d;
    use alloc::string::ToString;
    use burn_core::config::Config;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn max_pool2d_windows_touch_unless_told() {
        let config = MaxPool2dConfig::new([2, 3]);
        assert_eq!(config.stride, [2, 3]);
        let read = MaxPool2dConfig::from_json(r#"{"kernel_size": [3, 2]}"#).unwrap();
        assert_eq!(read.stride, [3, 2]);
        let pool = config.with_stride([1, 1]).init();
        let text = "MaxPool2d {kernel_size: [2, 3], stride: [1, 1], padding: Valid, dilation: [1, 1]}";
        assert_eq!(pool.to_string(), text);
    }

    #[test]
    fn max_pool2d_never_takes_the_padding() {
        let pool =
            MaxPool2dConfig::new([2, 2]).with_stride([1, 1]).with_padding(PaddingConfig2d::Same).init();
        let x = Tensor::<NdArray, 4>::from_data([[[[-1.0, -2.0], [-4.0, -3.0]]]], &Default::default());
        assert_eq!(pool.forward(x).into_data().to_f64(), [-1.0, -2.0, -3.0, -3.0]);
    }
}
