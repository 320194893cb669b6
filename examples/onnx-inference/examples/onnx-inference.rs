//! Reads handwritten digits with the network of `src/model/digits.onnx`.
//!
//! ```text
//! cargo run --release --package onnx-inference --example onnx-inference [NUMBER]
//! ```
//!
//! NUMBER, from 0 to 99, chooses the digit that is shown; 17 by default.

use burn::backend::NdArray;
use burn::tensor::activation::softmax;
use onnx_inference::{Model, digits, images};

type B = NdArray;

fn main() -> Result<(), String> {
    let number = std::env::args().nth(1).unwrap_or_else(|| "17".into());
    let shown = number.parse().ok().and_then(|number| digits().nth(number));
    let shown = shown.ok_or_else(|| format!("expected a number below {}, got `{number}`", digits().len()))?;

    let device = Default::default();
    let model = Model::<B>::default();
    for row in shown.pixels.chunks(8) {
        println!(
            "{}",
            row.iter().map(|&pixel| [" .", " o", " #"][usize::from(pixel) / 6]).collect::<String>()
        );
    }
    let logits = model.forward(images(std::iter::once(shown), &device));
    let (probability, class) = softmax(logits, 1).max_dim_with_indices(1);
    let (probability, class) = (probability.into_scalar(), class.into_scalar());
    println!("\nread as {class} with probability {probability:.3}; it is a {}", shown.label);

    let classes = model.forward(images(digits(), &device)).argmax(1).into_data();
    let right = classes.iter::<u8>().zip(digits()).filter(|(class, digit)| *class == digit.label).count();
    println!("{right} of {} digits are right", digits().len());
    Ok(())
}
