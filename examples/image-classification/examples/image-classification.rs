//! Classifies photographs, and prints the five most likely classes of each.
//!
//! ```text
//! cargo run --release --package image-classification --example image-classification -- [--model FILE.pth] [PHOTO.jpg..]
//! ```

use burn::backend::NdArray;
use burn::tensor::activation::softmax;
use image_classification::{Error, load, photo, photos, weights_file};
use std::path::PathBuf;

type B = NdArray;

fn main() -> Result<(), Error> {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut weights = None;
    if let Some(at) = arguments.iter().position(|argument| argument.as_os_str() == "--model") {
        let values: Vec<PathBuf> = arguments.drain(at..arguments.len().min(at + 2)).collect();
        weights = Some(values.get(1).cloned().ok_or("--model needs a file")?);
    }
    let mut say = |text: &str| println!("{text}");
    let device = Default::default();
    let model = load::<B>(&weights_file(weights, &mut say)?, &device)?;
    let files = if arguments.is_empty() { photos(&mut say)?.to_vec() } else { arguments };
    for file in files {
        let shares = softmax(model.forward(photo(&file, &device)?), 1);
        let (shares, classes) = shares.topk_with_indices(5, 1);
        println!("{}", file.display());
        let (shares, classes) = (shares.into_data(), classes.into_data());
        for (share, class) in shares.iter::<f64>().zip(classes.iter::<i64>()) {
            println!("  class {class:3}: {:4.1} %", 100.0 * share);
        }
    }
    Ok(())
}
