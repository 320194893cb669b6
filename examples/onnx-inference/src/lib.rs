//! A network of handwritten digits from ONNX, as Rust source that `build.rs` generates.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod digit;
mod model;

pub use digit::{Digit, digits, images};
pub use model::digits::Model;
