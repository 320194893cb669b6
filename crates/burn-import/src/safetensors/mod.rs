//! Safetensors: files of tensors with a table at the beginning, whole or split with an index.
//!
//! A file is mapped into memory and opened in milliseconds, whatever its size; a tensor is read when it is
//! loaded. Files that [`save`] writes have the names and layouts of PyTorch.

mod file;
mod open;
mod recorder;
mod shards;
mod write;

pub use file::SafetensorsFile;
pub use open::open;
pub use recorder::{SafetensorsFileRecorder, SafetensorsFormat};
pub use shards::save_sharded;
pub use write::{save, save_tensors};

pub use crate::LoadArgs;
