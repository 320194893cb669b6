//! Layers that pad: the same for each mode and each number of dimensions.

use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, PadMode, Tensor, TensorError};

/// Pads the last `N` dimensions of the input of `layer`.
#[track_caller]
pub fn pad<B: Backend, const D: usize, const N: usize>(
    layer: &'static str,
    x: Tensor<B, D>,
    padding: [(usize, usize); N],
    mode: PadMode,
) -> Result<Tensor<B, D>, TensorError> {
    if D < N {
        let message = format_args!("expected an input of rank {N} or more, got {:?}", x.shape());
        return Err(TensorError::argument(layer, message));
    }
    try_in_operation(layer, || x.try_pad(padding, mode))
}

/// Defines a padding layer and its config; `$field`s are further fields, which `$mode` is made from.
macro_rules! pad_layer {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $n:literal, $dims:literal,
        {$($(#[$field_docs:meta])* $field:ident: $ty:ty,)*}, $mode:expr
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(burn_core::config::Config, Debug)]
        pub struct $config {
            #[doc = concat!("Number of elements added before and after ", $dims, ".")]
            pub padding: [(usize, usize); $n],
            $($(#[$field_docs])* pub $field: $ty,)*
        }

        impl $config {
            /// Returns the layer.
            pub fn init(&self) -> $layer {
                $layer { padding: burn_core::module::Ignored(self.padding), $($field: self.$field,)* }
            }
        }

        $(#[$docs])*
        #[derive(burn_core::module::Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            #[doc = concat!("Number of elements added before and after ", $dims, ".")]
            pub padding: burn_core::module::Ignored<[(usize, usize); $n]>,
            $($(#[$field_docs])* pub $field: $ty,)*
        }

        #[burn_derive::fallible(layer)]
        impl $layer {
            #[doc = concat!("Pads ", $dims, " of the input, its last dimensions.")]
            ///
            /// # Errors
            #[doc = concat!("The rank is below ", $n, ", or a dimension has too few elements for the padding.")]
            pub fn try_forward<B: burn_core::tensor::Backend, const D: usize>(
                &self,
                x: burn_core::tensor::Tensor<B, D>,
            ) -> Result<burn_core::tensor::Tensor<B, D>, burn_core::tensor::TensorError> {
                let mode: fn(&Self) -> burn_core::tensor::PadMode = $mode;
                $crate::padding::layer::pad($name, x, self.padding.0, mode(self))
            }
        }

        impl burn_core::module::ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<burn_core::module::DisplaySettings> {
                $crate::display::one_line()
            }
        }
    };
}
pub(super) use pad_layer;
