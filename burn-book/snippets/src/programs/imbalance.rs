// ANCHOR: program
use burn::backend::NdArray;
use burn::data::dataset::transform::SamplerDataset;
use burn::data::dataset::{Dataset, DatasetError, InMemDataset};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::prelude::*;

type B = NdArray;

fn main() -> Result<(), DatasetError> {
    // 95 items of class 0 and 5 of class 1.
    let labels: Vec<usize> = (0..100).map(|item| usize::from(item >= 95)).collect();
    let counts = [95.0, 5.0];

    // First way: draw each class as often as the other.
    let items: InMemDataset<usize> = labels.iter().copied().collect();
    let balanced = SamplerDataset::balanced(items, &labels, 1000)?;
    let rare = balanced.iter().filter(|label| *label == 1).count();
    println!("of 1000 draws, between 450 and 550 are of class 1: {}", (450..=550).contains(&rare));

    // Second way: weight the loss by `items / (classes * count)`, so that the mean weight is 1.
    let weights: Vec<f64> = counts.iter().map(|count| 100.0 / (2.0 * count)).collect();
    println!("weights {weights:.3?}");
    let device = Default::default();
    let loss = CrossEntropyLossConfig::new().with_weights(Some(weights)).init(&device);
    let logits = Tensor::<B, 2>::from_data([[2.0, 0.0], [2.0, 0.0]], &device);
    let targets = Tensor::<B, 1, Int>::from_data([0, 1], &device);
    // The mistake on class 1 counts 19 times as much as the correct item of class 0.
    println!("loss {:.3}", loss.forward(logits, targets).into_scalar());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_class_imbalance() {
    crate::page_output::page_prints!("building-blocks/imbalance.md");
}
