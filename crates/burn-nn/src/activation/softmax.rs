use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};

/// Options of [`Softmax`].
#[derive(Config, Debug)]
pub struct SoftmaxConfig {
    /// Dimension along which the outputs sum to 1; negative from the end.
    pub dim: isize,
}

impl SoftmaxConfig {
    /// Returns the layer.
    pub fn init(&self) -> Softmax {
        Softmax { dim: self.dim }
    }
}

/// Softmax: `e^x / sum(e^x)` along a dimension. PyTorch: `torch.nn.Softmax`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::SoftmaxConfig;
/// use burn::tensor::Tensor;
///
/// let layer = SoftmaxConfig::new(-1).init();
/// let x = Tensor::<NdArray, 1>::from_data([3.0, 3.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [0.5, 0.5]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Softmax {
    /// Dimension along which the outputs sum to 1; negative from the end.
    pub dim: isize,
}

impl Softmax {
    /// Applies the layer; the shape is unchanged.
    ///
    /// # Panics
    /// `dim` does not exist.
    #[track_caller]
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::softmax(x, self.dim)
    }
}

impl ModuleDisplay for Softmax {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
