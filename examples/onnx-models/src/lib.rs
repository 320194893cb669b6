//! ONNX models that run from their files, without generated code: `burn_onnx::Graph` runs them on any
//! backend.

mod file_type;
mod files;
mod voice;

pub use file_type::{FileTypes, Guess};
pub use files::{Error, magika_folder, silero_file};
pub use voice::{CHUNK, VoiceDetector};
