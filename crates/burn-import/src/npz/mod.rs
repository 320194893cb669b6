//! NumPy's files: an array (`.npy`), and a zip file of several (`.npz`).

mod header;
mod npz_file;
mod write;

pub use npz_file::{NpzFile, open};
pub use write::{save_npy, save_npz};

pub use crate::LoadArgs;
