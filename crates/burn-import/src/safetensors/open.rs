use super::SafetensorsFile;
use super::shards;
use crate::LoadArgs;
use burn_core::record::RecordError;
use burn_core::weights::Weights;
use std::path::Path;
use std::sync::Arc;

/// Opens a safetensors file, or the index of one that is split: its tensors, under the names that `args` give
/// them. Nothing of them is read yet.
///
/// # Errors
/// The file cannot be read, or its table is damaged.
pub fn open(args: impl Into<LoadArgs>) -> Result<Weights, RecordError> {
    let args = args.into();
    let file = SafetensorsFile::open(args.path())?;
    let format = file.format();
    args.select(Arc::new(file), format)
}

impl SafetensorsFile {
    /// Opens the file at `path`; a name that ends in `.json` is that of an index, which lists the files
    /// beside it.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        if shards::is_index(path) {
            return shards::open(path);
        }
        Self::open_one(path)
    }
}
