//! A network of handwritten digits from ONNX for microcontrollers, as Rust source that `build.rs` generates.
#![no_std]

extern crate alloc;

mod digit;
#[cfg(target_os = "none")]
mod heap;
mod model;
mod reading;

pub use digit::{Digit, digits};
#[cfg(target_os = "none")]
pub use heap::ChipHeap;
pub use model::digits::Model;
pub use reading::{Reading, read};
