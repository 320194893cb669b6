//! A page that trains a network in the browser, with its loss as a curve: gradients and Adam in WebAssembly.

#[cfg(target_family = "wasm")]
mod browser;
mod spirals;
mod trainer;

pub use spirals::spirals;
pub use trainer::Trainer;
