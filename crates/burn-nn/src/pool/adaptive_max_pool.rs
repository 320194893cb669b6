use super::adaptive_pool::adaptive_pool;
use crate::display::one_line;
use crate::spatial::Sizes;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor, TensorError, module};
use burn_derive::fallible;

macro_rules! adaptive_max_pool {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $function:ident, $with_indices:ident, $rank:literal, $sizes:ty, $size:literal,
        $flat:literal, $from:literal, $to:literal
    ) => {
        adaptive_pool! {
            $(#[$docs])*
            $layer, $config, $function, $rank, $sizes, $size, $from, $to
        }

        #[fallible(layer)]
        impl $layer {
            #[doc = concat!("Applies the pooling, and returns the index of each maximum in the ", $flat, " of the")]
            /// input too. PyTorch: `return_indices=True`.
            ///
            /// # Errors
            /// A pooled dimension has no element.
            pub fn try_forward_with_indices<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
            ) -> Result<(Tensor<B, $rank>, Tensor<B, $rank, Int>), TensorError> {
                module::$with_indices(x, self.output_size)
            }
        }
    };
}

adaptive_max_pool! {
    /// One-dimensional adaptive max pooling layer to a fixed `output_size`: window `i` of `n` over
    /// a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`. PyTorch: `torch.nn.AdaptiveMaxPool1d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AdaptiveMaxPool1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AdaptiveMaxPool1dConfig::new(2).init();
    /// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 6.0]]], &Default::default());
    /// let (y, indices) = pool.forward_with_indices(x);
    /// assert_eq!(y.into_data().to_f64(), [2.0, 6.0]);
    /// assert_eq!(indices.into_data().to_f64(), [1.0, 2.0]);
    /// ```
    AdaptiveMaxPool1d, AdaptiveMaxPool1dConfig, try_adaptive_max_pool1d, try_adaptive_max_pool1d_with_indices, 3,
    usize, "Length", "length", "[batch, channels, length]", "[batch, channels, output_size]"
}

adaptive_max_pool! {
    /// Two-dimensional adaptive max pooling layer to a fixed `output_size`: window `i` of `n` over
    /// a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`. PyTorch: `torch.nn.AdaptiveMaxPool2d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AdaptiveMaxPool2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AdaptiveMaxPool2dConfig::new([1, 2]).init();
    /// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 7.0, 6.0], [3.0, 4.0, 8.0]]]], &Default::default());
    /// let (y, indices) = pool.forward_with_indices(x);
    /// assert_eq!(y.into_data().to_f64(), [7.0, 8.0]);
    /// assert_eq!(indices.into_data().to_f64(), [1.0, 5.0]);
    /// ```
    AdaptiveMaxPool2d, AdaptiveMaxPool2dConfig, try_adaptive_max_pool2d, try_adaptive_max_pool2d_with_indices, 4,
    [usize; 2], "Height and width", "flattened height and width", "[batch, channels, height, width]",
    "[batch, channels, output_size[0], output_size[1]]"
}

adaptive_max_pool! {
    /// Three-dimensional adaptive max pooling layer to a fixed `output_size`: window `i` of `n` over
    /// a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`. PyTorch: `torch.nn.AdaptiveMaxPool3d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AdaptiveMaxPool3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AdaptiveMaxPool3dConfig::new([1, 2, 3]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 4, 4, 4], &Default::default());
    /// assert_eq!(pool.forward(x).dims(), [1, 2, 1, 2, 3]);
    /// ```
    AdaptiveMaxPool3d, AdaptiveMaxPool3dConfig, try_adaptive_max_pool3d, try_adaptive_max_pool3d_with_indices, 5,
    [usize; 3], "Depth, height and width", "flattened depth, height and width",
    "[batch, channels, depth, height, width]",
    "[batch, channels, output_size[0], output_size[1], output_size[2]]"
}
