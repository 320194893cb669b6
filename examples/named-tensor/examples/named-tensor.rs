//! Prints what two sentences are about.
//!
//! ```text
//! cargo run --example named-tensor
//! ```

use burn::backend::NdArray;

fn main() {
    println!("{}", named_tensor::run::<NdArray>(&Default::default()));
}
