// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::loss::{CrossEntropyLossConfig, HuberLossConfig, MseLoss, Reduction};
use burn::prelude::*;

type B = NdArray;

fn main() {
    let device = Default::default();
    // Regression: prediction and target have the same shape.
    let prediction = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let target = Tensor::<B, 2>::from_data([[1.0, 0.0], [3.0, 8.0]], &device);
    let mse = MseLoss::new().forward(prediction.clone(), target.clone(), Reduction::Mean);
    println!("mean squared error {}", mse.into_scalar());
    let huber = HuberLossConfig::new(1.0).init().forward_no_reduction(prediction, target);
    println!("Huber loss of each element {}", huber.into_data());

    // Classification: logits `[batch, classes]` and the index of the class, `[batch]`.
    let logits = Tensor::<B, 2>::from_data([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], &device);
    let classes = Tensor::<B, 1, Int>::from_data([0, 2], &device);
    let loss = CrossEntropyLossConfig::new().init(&device).forward(logits, classes);
    println!("cross-entropy {:.4}", loss.into_scalar());
}
// ANCHOR_END: program

#[test]
fn x_701_losses() {
    crate::page_output::page_prints!("building-blocks/losses.md");
}
