use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};

/// Options of [`AdaptiveAvgPool2d`].
#[derive(Config, Debug)]
pub struct AdaptiveAvgPool2dConfig {
    /// Height and width of the output.
    pub output_size: [usize; 2],
}

impl AdaptiveAvgPool2dConfig {
    /// Returns the layer.
    pub fn init(&self) -> AdaptiveAvgPool2d {
        AdaptiveAvgPool2d { output_size: self.output_size }
    }
}

/// Two-dimensional adaptive average pooling layer to a fixed `output_size`: window `i` of `n` over
/// a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`. PyTorch: `torch.nn.AdaptiveAvgPool2d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::pool::AdaptiveAvgPool2dConfig;
/// use burn::tensor::Tensor;
///
/// let pool = AdaptiveAvgPool2dConfig::new([1, 2]).init();
/// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0, 6.0], [3.0, 4.0, 8.0]]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [2.5, 5.0]);
/// assert_eq!(pool.to_string(), "AdaptiveAvgPool2d {output_size: [1, 2]}");
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct AdaptiveAvgPool2d {
    pub output_size: [usize; 2],
}

impl AdaptiveAvgPool2d {
    /// Applies the pooling: `[batch, channels, height, width]` to
    /// `[batch, channels, output_size[0], output_size[1]]`.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        module::adaptive_avg_pool2d(x, self.output_size)
    }
}

impl ModuleDisplay for AdaptiveAvgPool2d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
