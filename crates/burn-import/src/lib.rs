//! Models from elsewhere: weights of PyTorch, safetensors, NumPy and GGUF files.
//!
//! A file is opened as [`Weights`](burn_core::weights::Weights): named tensors that are read when a module or
//! a record takes them. Names and layouts of PyTorch are translated to those of `burn-nn` on the way
//! ([`PyTorchLayers`]): weights of linear layers are transposed, `weight` and `bias` of norms become `gamma`
//! and `beta`, gates of recurrent layers and projections of attention are taken apart.
//!
//! ONNX models become source or run as they are (module `onnx`), and modules are written as ONNX models by
//! `onnx::OnnxExport`, feature `onnx-export`.
//!
//! ```
//! use burn::backend::NdArray;
//! use burn::module::Module;
//! use burn::nn::LinearConfig;
//! use burn::weights::Strictness;
//! use burn_import::{LoadArgs, safetensors};
//!
//! let device = Default::default();
//! # let folder = std::env::temp_dir().join(format!("burn-import-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let path = folder.join("linear.safetensors");
//! let linear = LinearConfig::new(2, 3).init::<NdArray>(&device);
//! safetensors::save(&linear, &path)?;
//!
//! let weights = burn_import::open(LoadArgs::new(path.clone()))?;
//! let (loaded, report) = weights.load_into(LinearConfig::new(2, 3).init::<NdArray>(&device), Strictness::Strict)?;
//! assert_eq!(loaded.weight.to_data(), linear.weight.to_data());
//! assert_eq!(report.loaded, ["weight", "bias"]);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), burn::record::RecordError>(())
//! ```
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "gguf", feature = "pytorch"))]
mod byte_reader;
mod debug_listing;
#[cfg(any(feature = "gguf", feature = "npz", feature = "pytorch", feature = "safetensors"))]
mod file_bytes;
mod file_error;
mod file_format;
#[cfg(feature = "gguf")]
pub mod gguf;
mod layout;
mod load_args;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(any(feature = "pytorch", feature = "npz"))]
mod numpy_type;
#[cfg(feature = "onnx")]
mod onnx_file;
mod open;
#[cfg(feature = "pytorch")]
pub mod pytorch;
mod pytorch_layers;
#[cfg(any(feature = "pytorch", feature = "safetensors"))]
mod recorder;
#[cfg(feature = "safetensors")]
pub mod safetensors;
#[cfg(any(feature = "gguf", feature = "npz", feature = "pytorch", feature = "safetensors"))]
mod stored_type;
#[cfg(any(feature = "pytorch", feature = "npz"))]
mod strided_layout;
#[cfg(any(feature = "pytorch", feature = "npz"))]
mod zip_entries;

#[cfg(feature = "onnx")]
pub use burn_onnx as onnx;
pub use file_format::FileFormat;
pub use layout::Layout;
pub use load_args::LoadArgs;
#[cfg(feature = "onnx")]
pub use onnx_file::OnnxFile;
pub use open::{open, open_source};
pub use pytorch_layers::PyTorchLayers;
#[cfg(any(feature = "pytorch", feature = "safetensors"))]
pub use recorder::{FileRecorder, RecorderFormat};
