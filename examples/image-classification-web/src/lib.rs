//! A page that classifies pictures: EfficientNet-Lite0 in WebAssembly, on the CPU or through WebGPU.

mod backend_name;
#[cfg(target_family = "wasm")]
mod browser;
mod classifier;

pub use backend_name::BackendName;
pub use classifier::Classifier;
