//! DL: batches of tensors.

use crate::expect::exactly;
use crate::given::CPU;
use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::InMemDataset;
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

#[derive(Clone, Debug)]
struct Sample {
    values: [f32; 2],
    class: i64,
}

#[derive(Clone)]
struct Samples<B: Backend> {
    device: B::Device,
}

impl<B: Backend> Batcher<Sample, (Tensor<B, 2>, Tensor<B, 1, Int>)> for Samples<B> {
    fn batch(&self, items: Vec<Sample>) -> (Tensor<B, 2>, Tensor<B, 1, Int>) {
        let rows = items.iter().map(|item| Tensor::<B, 1>::from_data(item.values, &self.device).unsqueeze());
        let classes = items.iter().map(|item| Tensor::from_data([item.class], &self.device));
        (Tensor::cat(rows.collect(), 0), Tensor::cat(classes.collect(), 0))
    }
}

fn samples() -> InMemDataset<Sample> {
    InMemDataset::new((0..5).map(|i| Sample { values: [i as f32, -(i as f32)], class: i % 2 }).collect())
}

#[test]
fn dl_002_batchers_hold_their_device_on_the_backend_of_their_loop() {
    fn loops<B: AutodiffBackend>(device: &B::Device) -> (Tensor<B, 2>, Tensor<B::InnerBackend, 2>) {
        let train = Samples::<B> { device: device.clone() };
        let valid = Samples::<B::InnerBackend> { device: device.clone() };
        let train = DataLoaderBuilder::new(train).batch_size(2).build(samples());
        let valid = DataLoaderBuilder::new(valid).batch_size(2).build(samples());
        (train.iter().next().expect("a batch").0, valid.iter().next().expect("a batch").0)
    }
    let (train, valid) = loops::<Autodiff<NdArray>>(CPU);
    exactly(train, [[0.0, 0.0], [1.0, -1.0]]);
    exactly(valid, [[0.0, 0.0], [1.0, -1.0]]);
}

#[test]
fn dl_005_a_batch_is_a_tuple_of_tensors() {
    let loader = DataLoaderBuilder::new(Samples::<NdArray> { device: *CPU })
        .batch_size(3)
        .num_workers(2)
        .build(samples());
    let batches: Vec<(Tensor<NdArray, 2>, Tensor<NdArray, 1, Int>)> = loader.iter().collect();
    assert_eq!(batches.len(), 2);
    exactly(batches[1].0.clone(), [[3.0, -3.0], [4.0, -4.0]]);
    exactly(batches[1].1.clone(), [1, 0]);
}
