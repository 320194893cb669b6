//! Modules that are exported as ONNX.

mod cases;
mod errors;
mod files;
mod round_trip;
