//! ONNX export: the forward pass of a module, recorded by `Capture` and written as an ONNX file.
//!
//! [`OnnxExport`] records the forward pass once for every combination of sizes of the dynamic dimensions
//! (`trace`), finds how the numbers of each operation follow from those sizes (`size_expr`), and writes each
//! operation as one or more operators of ONNX (`lower`). Decision 32 says why.
#![deny(clippy::wildcard_enum_match_arm)]

mod dynamic_dim;
mod error;
mod exporter;
mod file;
mod graph_writer;
mod lower;
mod parameters;
mod sample;
mod size_expr;
mod step_numbers;
mod trace;

pub use dynamic_dim::DynamicDim;
pub use error::{ExportError, UnsupportedOperation};
pub use exporter::OnnxExport;
