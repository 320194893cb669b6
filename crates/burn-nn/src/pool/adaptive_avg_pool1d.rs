use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};

/// Options of [`AdaptiveAvgPool1d`].
#[derive(Config, Debug)]
pub struct AdaptiveAvgPool1dConfig {
    /// Length of the output.
    pub output_size: usize,
}

impl AdaptiveAvgPool1dConfig {
    /// Returns the layer.
    pub fn init(&self) -> AdaptiveAvgPool1d {
        AdaptiveAvgPool1d { output_size: self.output_size }
    }
}

/// One-dimensional adaptive average pooling layer to a fixed `output_size`: window `i` of `n` over
/// a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`. PyTorch: `torch.nn.AdaptiveAvgPool1d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::pool::AdaptiveAvgPool1dConfig;
/// use burn::tensor::Tensor;
///
/// let pool = AdaptiveAvgPool1dConfig::new(2).init();
/// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 6.0]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [1.5, 4.0]);
/// assert_eq!(pool.to_string(), "AdaptiveAvgPool1d {output_size: 2}");
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct AdaptiveAvgPool1d {
    pub output_size: usize,
}

impl AdaptiveAvgPool1d {
    /// Applies the pooling: `[batch, channels, length]` to `[batch, channels, output_size]`.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        module::adaptive_avg_pool1d(x, self.output_size)
    }
}

impl ModuleDisplay for AdaptiveAvgPool1d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
