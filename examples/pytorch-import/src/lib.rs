//! A network of PyTorch: its checkpoint, its settings, its weights.

mod data;
mod import;
mod model;

pub use data::{Digits, digits};
pub use import::{config, convert, load};
pub use model::{Model, ModelConfig, ModelRecord};

use std::path::PathBuf;

/// Returns the path of a file that `python/train.py` wrote.
pub fn data_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}
