//! The book's first model, from data to predictions.
//!
//! Each file is a chapter: [`model`], [`data`], [`training`], [`inference`]. All of it is generic over the
//! backend; the program in `examples/guide.rs` chooses one.

// ANCHOR: modules
pub mod data;
pub mod inference;
pub mod model;
pub mod training;
// ANCHOR_END: modules

pub mod quantization;
