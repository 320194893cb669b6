//! Loads a network from a checkpoint of PyTorch, converts it, and reads digits with it.
//!
//! ```text
//! cargo run --release --package pytorch-import --example pytorch-import [FOLDER]
//! ```
//!
//! The converted file, `digits.mpk`, is written to FOLDER; by default the current one.

use burn::backend::NdArray;
use burn::record::RecordError;
use pytorch_import::{config, convert, digits, load};
use std::path::PathBuf;

type B = NdArray;

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    let config = config()?;
    let ([first, second], size) = (config.channels, config.kernel_size);
    println!(
        "settings: {first} and {second} channels, kernels of {size} x {size}, {} classes",
        config.classes
    );

    let model = load::<B>(&config, &device)?;
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    convert(&model, &folder.join("digits"))?;
    println!("saved digits.mpk");

    let digits = digits::<B>(config.pixel_scale, &device)?;
    let logits = model.forward(digits.images);
    let right = logits.clone().argmax(1).reshape([-1]).equal(digits.labels).int().sum().into_scalar();
    let logits = logits.into_data();
    let differences = logits.iter::<f64>().zip(digits.logits.iter::<f64>()).map(|(a, b)| (a - b).abs());
    let largest = differences.fold(0.0, f64::max);
    println!("{right} of 200 digits are right; the largest difference from PyTorch's logits is {largest:.6}");
    Ok(())
}
