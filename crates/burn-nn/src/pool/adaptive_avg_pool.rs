use super::adaptive_pool::adaptive_pool;
use crate::display::one_line;
use crate::spatial::Sizes;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorError, module};
use burn_derive::fallible;

adaptive_pool! {
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
    AdaptiveAvgPool1d, AdaptiveAvgPool1dConfig, try_adaptive_avg_pool1d, 3, usize, "Length",
    "[batch, channels, length]", "[batch, channels, output_size]"
}

adaptive_pool! {
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
    AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig, try_adaptive_avg_pool2d, 4, [usize; 2], "Height and width",
    "[batch, channels, height, width]", "[batch, channels, output_size[0], output_size[1]]"
}

adaptive_pool! {
    /// Three-dimensional adaptive average pooling layer to a fixed `output_size`: window `i` of `n` over
    /// a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`. PyTorch: `torch.nn.AdaptiveAvgPool3d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AdaptiveAvgPool3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AdaptiveAvgPool3dConfig::new([1, 2, 3]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 4, 4, 4], &Default::default());
    /// assert_eq!(pool.forward(x).dims(), [1, 2, 1, 2, 3]);
    /// ```
    AdaptiveAvgPool3d, AdaptiveAvgPool3dConfig, try_adaptive_avg_pool3d, 5, [usize; 3],
    "Depth, height and width", "[batch, channels, depth, height, width]",
    "[batch, channels, output_size[0], output_size[1], output_size[2]]"
}
