//! Saved state as a tree of values, and the recorders that write and read it.

mod any;
mod binary;
#[cfg(feature = "std")]
mod blocks;
mod budget;
mod bytes_recorder;
mod checksum;
mod collection;
mod envelope;
mod error;
mod fields;
#[cfg(feature = "std")]
mod file_format;
#[cfg(feature = "std")]
mod file_recorder;
mod into_node;
#[cfg(feature = "std")]
mod json;
mod json_tensor;
mod key_path;
mod mismatch;
mod model_loading;
#[cfg(feature = "std")]
mod mpk;
mod named;
mod node;
mod node_serde;
mod precision;
mod primitive;
mod quantized;
mod quantized_blocks;
mod recorder;
mod tensor;
mod tensor_serde;
mod variant;

pub use crate::impl_from_embedded;
#[cfg(feature = "std")]
pub use crate::impl_from_file;
pub use any::Record;
pub use burn_derive::Record;
#[cfg(feature = "std")]
pub use burn_io::write_atomic;
pub use bytes_recorder::BinBytesRecorder;
pub use collection::RecordKey;
pub use error::RecordError;
#[cfg(feature = "std")]
pub use file_recorder::{
    BinFileRecorder, BinGzFileRecorder, CompactRecorder, DefaultFileRecorder, JsonGzFileRecorder,
    NamedMpkFileRecorder, NamedMpkGzFileRecorder, PrettyJsonFileRecorder,
};
pub use into_node::IntoNode;
pub use key_path::KeyPath;
pub use mismatch::{RecordMismatch, ShapeMismatch};
pub use node::Node;
pub(crate) use node::{MAX_DEPTH, too_deep};
pub use precision::{
    DoublePrecisionSettings, FullPrecisionSettings, HalfPrecisionSettings, PrecisionSettings,
};
#[cfg(feature = "std")]
pub(crate) use quantized::shape_of;
#[cfg(feature = "std")]
pub use recorder::FileRecorder;
pub use recorder::Recorder;
#[cfg(feature = "std")]
pub(crate) use recorder::in_place;

#[doc(hidden)]
pub mod derive {
    pub use super::fields::{FieldReader, FieldWriter};
    pub use super::variant::{VariantReader, write_variant};
    pub use crate::tensor::Device;
}
