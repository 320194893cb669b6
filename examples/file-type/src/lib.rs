//! Types of files by their content: the network of Magika, whose Rust source `build.rs` generates.
#![cfg(feature = "model")]

mod classifier;
mod features;
mod model {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}

pub use classifier::{Classifier, Guess};
pub use features::features;
