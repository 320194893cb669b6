use crate::display::one_line;
use crate::spatial::check_windows;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::{UnfoldOptions, try_fold4d};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Options of [`Fold4d`].
#[derive(Config, Debug)]
pub struct Fold4dConfig {
    /// Height and width of the output.
    pub output_size: [usize; 2],
    /// Kernel size: height and width of a window.
    pub kernel_size: [usize; 2],
    /// Stride: height and width.
    #[config(default = "[1, 1]")]
    pub stride: [usize; 2],
    /// Dilation (distance between the elements of a window): height and width.
    #[config(default = "[1, 1]")]
    pub dilation: [usize; 2],
    /// Zero padding of the image that the windows were taken from: height and width.
    #[config(default = "[0, 0]")]
    pub padding: [usize; 2],
}

#[fallible(config)]
impl Fold4dConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Fold4d, ConfigError> {
        let check = FieldCheck::of("Fold4dConfig");
        check_windows(check, self.kernel_size, self.stride, self.dilation)?;
        let Fold4dConfig { output_size, kernel_size, stride, dilation, padding } = *self;
        let fits = (0..2).all(|d| {
            let reach = dilation[d].saturating_mul(kernel_size[d] - 1).saturating_add(1);
            reach <= padding[d].saturating_mul(2).saturating_add(output_size[d])
        });
        check.ensure(fits, "output_size", &output_size, "at least one window in the padded size")?;
        Ok(Fold4d { output_size, kernel_size, stride, dilation, padding })
    }
}

/// Layer that combines the columns of [`Unfold4d`](crate::Unfold4d) into an image (col2im), adding up
/// overlapping windows: `[batch, channels kernel_size[0] kernel_size[1], windows]` to `[batch, channels,
/// height, width]`. PyTorch: `torch.nn.Fold`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Fold4dConfig;
/// use burn::tensor::Tensor;
///
/// let fold = Fold4dConfig::new([2, 3], [2, 2]).init();
/// let columns = Tensor::<NdArray, 3>::ones([1, 4, 2], &Default::default());
/// assert_eq!(fold.forward(columns).into_data().to_f64(), [1.0, 2.0, 1.0, 1.0, 2.0, 1.0]);
/// ```
#[doc(alias = "Fold")]
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct Fold4d {
    /// Height and width of the output.
    pub output_size: [usize; 2],
    /// Kernel size: height and width of a window.
    pub kernel_size: [usize; 2],
    /// Stride: height and width.
    pub stride: [usize; 2],
    /// Dilation (distance between the elements of a window): height and width.
    pub dilation: [usize; 2],
    /// Zero padding of the image that the windows were taken from: height and width.
    pub padding: [usize; 2],
}

#[fallible(layer)]
impl Fold4d {
    /// Combines the windows: `[batch, channels kernel_size[0] kernel_size[1], windows]` to
    /// `[batch, channels, output_size[0], output_size[1]]`.
    ///
    /// # Errors
    /// The columns or windows are not those of an image of the output size.
    pub fn try_forward<B: Backend>(&self, x: Tensor<B, 3>) -> Result<Tensor<B, 4>, TensorError> {
        try_fold4d(x, self.output_size, self.options())
    }

    fn options(&self) -> UnfoldOptions {
        let Fold4d { kernel_size: kernel, stride, dilation, padding, .. } = *self;
        UnfoldOptions { kernel, stride, padding, dilation }
    }
}

impl ModuleDisplay for Fold4d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
