use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::{pixel_shuffle, pixel_unshuffle, try_pixel_shuffle, try_pixel_unshuffle};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

macro_rules! shuffle {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $field:ident, $what:literal, $function:ident, $try_function:ident, $from:literal,
        $to:literal, $panics:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = $what]
            pub $field: usize,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init(&self) -> Result<$layer, ConfigError> {
                FieldCheck::of(stringify!($config)).at_least(stringify!($field), self.$field, 1)?;
                Ok($layer { $field: self.$field })
            }
        }

        $(#[$docs])*
        #[derive(Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            #[doc = $what]
            pub $field: usize,
        }

        impl $layer {
            #[doc = concat!("Rearranges `", $from, "` to `", $to, "`.")]
            ///
            /// # Panics
            #[doc = $panics]
            #[track_caller]
            pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
                $function(x, self.$field)
            }

            /// [`forward`](Self::forward), and what is wrong as a value.
            ///
            /// # Errors
            /// When [`forward`](Self::forward) panics.
            #[track_caller]
            pub fn try_forward<B: Backend, const D: usize>(
                &self,
                x: Tensor<B, D>,
            ) -> Result<Tensor<B, D>, TensorError> {
                $try_function(x, self.$field)
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
        }
    };
}

shuffle! {
    /// Pixel shuffle layer: rearranges channels into space, for super-resolution (Shi et al. 2016).
    ///
    /// `y[.., c, h r + i, w r + j] = x[.., c r^2 + i r + j, h, w]` with `r = upscale_factor`. PyTorch:
    /// `torch.nn.PixelShuffle`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::PixelShuffleConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let layer = PixelShuffleConfig::new(2).init();
    /// let x = Tensor::<NdArray, 3>::from_data([[[1.0]], [[2.0]], [[3.0]], [[4.0]]], &Default::default());
    /// let y = layer.forward(x);
    /// assert_eq!((y.dims(), y.into_data().to_f64()), ([1, 2, 2], vec![1.0, 2.0, 3.0, 4.0]));
    /// ```
    PixelShuffle, PixelShuffleConfig, upscale_factor, "Factor that height and width grow by.", pixel_shuffle,
    try_pixel_shuffle, "[.., channels upscale_factor^2, height, width]",
    "[.., channels, height upscale_factor, width upscale_factor]",
    "The rank is below 3, or the square of the factor does not divide the number of channels."
}

shuffle! {
    /// Pixel unshuffle layer: rearranges space into channels, the inverse of [`PixelShuffle`]. PyTorch:
    /// `torch.nn.PixelUnshuffle`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::PixelUnshuffleConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let layer = PixelUnshuffleConfig::new(2).init();
    /// let x = Tensor::<NdArray, 4>::ones([1, 3, 8, 6], &Default::default());
    /// assert_eq!(layer.forward(x).dims(), [1, 12, 4, 3]);
    /// ```
    PixelUnshuffle, PixelUnshuffleConfig, downscale_factor, "Factor that height and width shrink by.",
    pixel_unshuffle, try_pixel_unshuffle, "[.., channels, height downscale_factor, width downscale_factor]",
    "[.., channels downscale_factor^2, height, width]",
    "The rank is below 3, or the factor does not divide height and width."
}
