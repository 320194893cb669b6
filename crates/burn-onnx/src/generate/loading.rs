//! Functions of a generated model that load the weights.

use super::source::Options;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Functions that load the weights.
pub(super) fn loading(options: &Options<'_>) -> TokenStream {
    if options.embed { embedded(options) } else { from_file(options) }
}

fn embedded(options: &Options<'_>) -> TokenStream {
    let file = format!("{}.bin", options.file_stem);
    quote! {
        /// The weights, as they are in the program.
        static STATES: &[u8] = include_bytes!(#file);

        impl<B: Backend> Model<B> {
            /// Makes the model with the weights that are part of the program, on the default device.
            ///
            /// # Panics
            /// When the program was built with another version of the weights than of the model.
            pub fn from_embedded() -> Self { Self::from_embedded_on(&B::Device::default()) }

            /// Makes the model with the weights that are part of the program, on `device`.
            ///
            /// # Panics
            /// When the program was built with another version of the weights than of the model.
            pub fn from_embedded_on(device: &B::Device) -> Self {
                match Self::try_from_embedded(device) {
                    Ok(model) => model,
                    Err(error) => panic!("{error}"),
                }
            }

            /// Makes the model with the weights that are part of the program, on `device`.
            ///
            /// # Errors
            /// When the weights are not those of this model.
            pub fn try_from_embedded(device: &B::Device) -> Result<Self, RecordError> {
                let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
                let record = recorder.load_slice::<B, _>(STATES, device)?;
                Self::new(device).try_load_record(record)
            }
        }

        impl<B: Backend> Default for Model<B> {
            /// Makes the model with the weights that are part of the program, on the default device.
            fn default() -> Self { Self::from_embedded() }
        }
    }
}

fn from_file(options: &Options<'_>) -> TokenStream {
    let (recorder, path) =
        (format_ident!("{}", options.record_type.recorder()), options.record_path.tokens());
    quote! {
        impl<B: Backend> Model<B> {
            /// Makes the model with the weights of a file.
            ///
            /// # Panics
            /// When the file cannot be read or has the weights of another model.
            pub fn from_file(path: impl Into<std::path::PathBuf>, device: &B::Device) -> Self {
                match Self::try_from_file(path, device) {
                    Ok(model) => model,
                    Err(error) => panic!("{error}"),
                }
            }

            /// Makes the model with the weights of a file.
            ///
            /// # Errors
            /// When the file cannot be read or has the weights of another model.
            pub fn try_from_file(path: impl Into<std::path::PathBuf>, device: &B::Device) -> Result<Self, RecordError> {
                Self::new(device).load_file(path, &#recorder::<FullPrecisionSettings>::new(), device)
            }
        }

        impl<B: Backend> Default for Model<B> {
            /// Makes the model with the weights of the file that was written with the source, on the default
            /// device.
            fn default() -> Self { Self::from_file(#path, &B::Device::default()) }
        }
    }
}
