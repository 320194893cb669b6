//! Files of `torch.save`: state dicts and checkpoints, `.pt` and `.pth`.
//!
//! A file is a pickle, a program for a machine that builds objects, and the memory of the tensors. The
//! machine here knows containers, numbers, texts and the functions that rebuild tensors; anything else that a
//! pickle names ends in an error, and nothing is ever run.

mod config;
mod flatten;
mod legacy_file;
mod pickle;
mod pytorch_file;
mod recorder;
mod storage;
mod zip_file;

pub use config::config_from_file;
pub use pytorch_file::{PyTorchFile, open};
pub use recorder::{PyTorchFileRecorder, PyTorchFormat};

pub use crate::LoadArgs;
