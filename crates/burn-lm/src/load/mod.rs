//! Weights of files by the names that GGUF and Hugging Face give them.

mod file_layers;
mod json_file;
mod model_files;
mod names;

pub(crate) use json_file::read_json;
