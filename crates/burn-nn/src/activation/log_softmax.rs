use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};

/// Options of [`LogSoftmax`].
#[derive(Config, Debug)]
pub struct LogSoftmaxConfig {
    /// Dimension along which the probabilities sum to 1; negative from the end.
    pub dim: isize,
}

impl LogSoftmaxConfig {
    /// Returns the layer.
    pub fn init(&self) -> LogSoftmax {
        LogSoftmax { dim: self.dim }
    }
}

/// Logarithm of the softmax: `x - log(sum(e^x))` along a dimension, stable for large `|x|`. PyTorch:
/// `torch.nn.LogSoftmax`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::LogSoftmaxConfig;
/// use burn::tensor::Tensor;
///
/// let layer = LogSoftmaxConfig::new(-1).init();
/// let x = Tensor::<NdArray, 1>::from_data([1e9, 0.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [0.0, -1e9]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct LogSoftmax {
    /// Dimension along which the probabilities sum to 1; negative from the end.
    pub dim: isize,
}

impl LogSoftmax {
    /// Applies the layer; the shape is unchanged.
    ///
    /// # Panics
    /// `dim` does not exist.
    #[track_caller]
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::log_softmax(x, self.dim)
    }
}

impl ModuleDisplay for LogSoftmax {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
