use crate::display::one_line;
use crate::spatial::{Sizes, value_or_raise};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorError, module};
use burn_derive::fallible;

macro_rules! adaptive_avg_pool {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $function:ident, $rank:literal, $sizes:ty, $size:literal, $from:literal,
        $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = concat!($size, " of the output.")]
            pub output_size: $sizes,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init(&self) -> Result<$layer, ConfigError> {
                self.output_size.check(FieldCheck::of(stringify!($config)), "output_size", 1)?;
                Ok($layer { output_size: self.output_size })
            }
        }

        $(#[$docs])*
        #[derive(Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            #[doc = concat!($size, " of the output.")]
            pub output_size: $sizes,
        }

        impl $layer {
            #[doc = concat!("Applies the pooling: `", $from, "` to `", $to, "`.")]
            ///
            /// # Panics
            /// A pooled dimension has no element.
            #[track_caller]
            pub fn forward<B: Backend>(&self, x: Tensor<B, $rank>) -> Tensor<B, $rank> {
                value_or_raise(self.try_forward(x))
            }

            /// [`forward`](Self::forward), and what is wrong as a value.
            ///
            /// # Errors
            /// When [`forward`](Self::forward) panics.
            #[track_caller]
            pub fn try_forward<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                module::$function(x, self.output_size)
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
        }
    };
}

adaptive_avg_pool! {
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

adaptive_avg_pool! {
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

adaptive_avg_pool! {
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
