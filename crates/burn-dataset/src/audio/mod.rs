//! Sounds in WAV files.

mod decode;
mod folder;

pub use folder::{AudioFolderDataset, AudioItem};
