//! What is saved, as a tree of values, and the recorders that save it.

mod any;
#[cfg(feature = "std")]
mod atomic;
mod collection;
mod error;
mod fields;
mod key_path;
mod mismatch;
mod node;
mod primitive;
mod tensor;
mod variant;

pub use any::Record;
#[cfg(feature = "std")]
pub use atomic::write_atomic;
pub use burn_derive::Record;
pub use collection::RecordKey;
pub use error::RecordError;
pub use key_path::KeyPath;
pub use mismatch::{RecordMismatch, ShapeMismatch};
pub use node::Node;

#[doc(hidden)]
pub mod derive {
    pub use super::fields::{FieldReader, FieldWriter};
    pub use super::variant::{VariantReader, write_variant};
    pub use crate::tensor::Device;
}
