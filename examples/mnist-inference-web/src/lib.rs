//! A page that reads digits as they are drawn: a network from ONNX, in WebAssembly.

#[cfg(target_family = "wasm")]
mod browser;
mod classifier;
mod drawing;

pub use classifier::Classifier;
pub use drawing::{SIDE, scale};
