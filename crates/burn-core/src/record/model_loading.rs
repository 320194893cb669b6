//! Functions of a model that load its weights, for generated source.

/// Implements `from_embedded`, `from_embedded_on`, `try_from_embedded` and `Default` for a model whose
/// weights are bytes in the program, as [`BinBytesRecorder`](crate::record::BinBytesRecorder) writes them.
///
/// The model is generic over its backend alone and has a function `new(&device)`. The source that `burn-onnx`
/// generates calls this with `include_bytes!`:
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Module, Param};
/// use burn::tensor::{Tensor, backend::Backend};
///
/// #[derive(Module, Debug)]
/// pub struct Model<B: Backend> {
///     scale: Param<Tensor<B, 1>>,
/// }
///
/// impl<B: Backend> Model<B> {
///     pub fn new(device: &B::Device) -> Self {
///         Model { scale: Param::from_tensor(Tensor::ones([2], device)) }
///     }
/// }
///
/// burn::record::impl_from_embedded!(Model, b"no record");
///
/// assert!(Model::<NdArray>::try_from_embedded(&Default::default()).is_err());
/// ```
#[macro_export]
macro_rules! impl_from_embedded {
    ($model:ident, $states:expr $(,)?) => {
        impl<B: $crate::tensor::Backend> $model<B> {
            /// Makes the model with the weights that are part of the program, on the default device.
            ///
            /// # Panics
            /// When the program was built with another version of the weights than of the model.
            pub fn from_embedded() -> Self {
                Self::from_embedded_on(&::core::default::Default::default())
            }

            /// Makes the model with the weights that are part of the program, on `device`.
            ///
            /// # Panics
            /// When the program was built with another version of the weights than of the model.
            pub fn from_embedded_on(device: &B::Device) -> Self {
                match Self::try_from_embedded(device) {
                    Ok(model) => model,
                    Err(error) => ::core::panic!("{error}"),
                }
            }

            /// Makes the model with the weights that are part of the program, on `device`.
            ///
            /// # Errors
            /// When the weights are not those of this model.
            pub fn try_from_embedded(
                device: &B::Device,
            ) -> ::core::result::Result<Self, $crate::record::RecordError> {
                static STATES: &[u8] = $states;
                let recorder =
                    $crate::record::BinBytesRecorder::<$crate::record::FullPrecisionSettings>::new();
                let record = recorder.load_slice::<B, _>(STATES, device)?;
                $crate::module::Module::try_load_record(Self::new(device), record)
            }
        }

        impl<B: $crate::tensor::Backend> ::core::default::Default for $model<B> {
            /// Makes the model with the weights that are part of the program, on the default device.
            fn default() -> Self {
                Self::from_embedded()
            }
        }
    };
}

/// Implements `from_file`, `try_from_file` and `Default` for a model whose weights are in a file: `Recorder`
/// reads it, `path` is the file that `Default` loads.
///
/// The model is generic over its backend alone and has a function `new(&device)`. The source that `burn-onnx`
/// generates calls this with the path of the record that was written with the source:
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Module, Param};
/// use burn::record::{BinFileRecorder, FullPrecisionSettings};
/// use burn::tensor::{Tensor, backend::Backend};
///
/// #[derive(Module, Debug)]
/// pub struct Model<B: Backend> {
///     scale: Param<Tensor<B, 1>>,
/// }
///
/// impl<B: Backend> Model<B> {
///     pub fn new(device: &B::Device) -> Self {
///         Model { scale: Param::from_tensor(Tensor::ones([2], device)) }
///     }
/// }
///
/// burn::record::impl_from_file!(Model, BinFileRecorder, concat!(env!("CARGO_MANIFEST_DIR"), "/model"));
///
/// let device = Default::default();
/// let file = std::env::temp_dir().join(format!("model-{}", std::process::id()));
/// let model = Model::<NdArray>::new(&device);
/// model.save_file(&file, &BinFileRecorder::<FullPrecisionSettings>::new())?;
/// let loaded = Model::<NdArray>::from_file(&file, &device);
/// assert_eq!(loaded.scale.val().into_data(), model.scale.val().into_data());
/// # std::fs::remove_file(file.with_extension("bin")).unwrap();
/// # Ok::<(), burn::record::RecordError>(())
/// ```
#[cfg(feature = "std")]
#[macro_export]
macro_rules! impl_from_file {
    ($model:ident, $recorder:ident, $path:expr $(,)?) => {
        impl<B: $crate::tensor::Backend> $model<B> {
            /// Makes the model with the weights of a file.
            ///
            /// # Panics
            /// When the file cannot be read or has the weights of another model.
            pub fn from_file(path: impl Into<::std::path::PathBuf>, device: &B::Device) -> Self {
                match Self::try_from_file(path, device) {
                    Ok(model) => model,
                    Err(error) => ::core::panic!("{error}"),
                }
            }

            /// Makes the model with the weights of a file.
            ///
            /// # Errors
            /// When the file cannot be read or has the weights of another model.
            pub fn try_from_file(
                path: impl Into<::std::path::PathBuf>,
                device: &B::Device,
            ) -> ::core::result::Result<Self, $crate::record::RecordError> {
                let recorder = $crate::record::$recorder::<$crate::record::FullPrecisionSettings>::new();
                $crate::module::Module::load_file(Self::new(device), path, &recorder, device)
            }
        }

        impl<B: $crate::tensor::Backend> ::core::default::Default for $model<B> {
            /// Makes the model with the weights of the file that was written with the source, on the default
            /// device.
            fn default() -> Self {
                Self::from_file($path, &::core::default::Default::default())
            }
        }
    };
}
