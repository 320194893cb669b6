// ANCHOR: program
// cargo add tokio --features macros,rt

use burn::backend::NdArray;
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::{DataError, activation};

/// Computes class probabilities without blocking, which is all that a browser allows.
async fn probabilities<B: Backend>(model: &Linear<B>, features: Vec<f32>) -> Result<Vec<f32>, DataError> {
    let x = Tensor::<B, 1>::from_data(&features[..], &model.weight.device()).unsqueeze::<2>();
    let probabilities = activation::softmax(model.forward(x), 1);
    let data = probabilities.into_data_async().await?;
    data.to_vec()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), DataError> {
    // In a page, the browser runs the future that JavaScript awaits.
    let device = Default::default();
    let model: Linear<NdArray> = LinearConfig::new(4, 3).init(&device);
    let probabilities = probabilities(&model, vec![1.0, 0.0, 0.5, 2.0]).await?;
    println!("{} classes, sum {:.3}", probabilities.len(), probabilities.iter().sum::<f32>());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_browsers() {
    crate::page_output::page_prints!("web.md");
}
