// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;
use guide::model::{Model, ModelConfig};

fn main() {
    let device = Default::default();
    let model: Model<NdArray> = ModelConfig::new(10, 512).init(&device);
    println!("{model}");

    // Four images of 28 x 28, and a score for each of the ten digits.
    let scores = model.forward(Tensor::zeros([4, 28, 28], &device));
    println!("{:?}", scores.dims());
}
// ANCHOR_END: program

#[test]
fn x_701_the_model_of_the_guide() {
    crate::page_output::page_prints!("basic-workflow/model.md");
}
