use crate::display::one_line;
use crate::spatial::check_windows;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::{UnfoldOptions, try_unfold4d};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Options of [`Unfold4d`].
#[derive(Config, Debug)]
pub struct Unfold4dConfig {
    /// Kernel size: height and width of a window.
    pub kernel_size: [usize; 2],
    /// Stride: height and width.
    #[config(default = "[1, 1]")]
    pub stride: [usize; 2],
    /// Dilation (distance between the elements of a window): height and width.
    #[config(default = "[1, 1]")]
    pub dilation: [usize; 2],
    /// Zero padding added to both sides of height and width.
    #[config(default = "[0, 0]")]
    pub padding: [usize; 2],
}

#[fallible(config)]
impl Unfold4dConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Unfold4d, ConfigError> {
        let check = FieldCheck::of("Unfold4dConfig");
        check_windows(check, self.kernel_size, self.stride, self.dilation)?;
        let Unfold4dConfig { kernel_size, stride, dilation, padding } = *self;
        Ok(Unfold4d { kernel_size, stride, dilation, padding })
    }
}

/// Layer that extracts sliding windows of images as columns (im2col): `[batch, channels, height, width]` to
/// `[batch, channels kernel_size[0] kernel_size[1], windows]`. PyTorch: `torch.nn.Unfold`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Unfold4dConfig;
/// use burn::tensor::Tensor;
///
/// let unfold = Unfold4dConfig::new([2, 2]).init();
/// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]], &Default::default());
/// let columns = unfold.forward(x);
/// assert_eq!(columns.into_data().to_f64(), [1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0, 6.0]);
/// ```
#[doc(alias = "Unfold")]
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct Unfold4d {
    /// Kernel size: height and width of a window.
    pub kernel_size: [usize; 2],
    /// Stride: height and width.
    pub stride: [usize; 2],
    /// Dilation (distance between the elements of a window): height and width.
    pub dilation: [usize; 2],
    /// Zero padding added to both sides of height and width.
    pub padding: [usize; 2],
}

#[fallible(layer)]
impl Unfold4d {
    /// Extracts the windows: `[batch, channels, height, width]` to
    /// `[batch, channels kernel_size[0] kernel_size[1], windows]`.
    ///
    /// # Errors
    /// The window is larger than the padded input.
    pub fn try_forward<B: Backend>(&self, x: Tensor<B, 4>) -> Result<Tensor<B, 3>, TensorError> {
        try_unfold4d(x, self.options())
    }

    fn options(&self) -> UnfoldOptions {
        let Unfold4d { kernel_size: kernel, stride, dilation, padding } = *self;
        UnfoldOptions { kernel, stride, padding, dilation }
    }
}

impl ModuleDisplay for Unfold4d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
