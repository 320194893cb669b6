//! Pooling layers to a fixed output size.

macro_rules! adaptive_pool {
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

        #[fallible(layer)]
        impl $layer {
            #[doc = concat!("Applies the pooling: `", $from, "` to `", $to, "`.")]
            ///
            /// # Errors
            /// A pooled dimension has no element.
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
pub(super) use adaptive_pool;
