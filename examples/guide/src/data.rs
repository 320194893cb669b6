//! Batcher: images on the host to batches on the device.

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::vision::MnistItem;
use burn::prelude::*;

/// Side of the images.
const SIDE: usize = 28;

// ANCHOR: batch
/// Images and what is on them.
#[derive(Clone, Debug)]
pub struct MnistBatch<B: Backend> {
    /// `[batch, 28, 28]`, standardised.
    pub images: Tensor<B, 3>,
    /// `[batch]`, the digits.
    pub targets: Tensor<B, 1, Int>,
}
// ANCHOR_END: batch

// ANCHOR: batcher
/// Makes [batches](MnistBatch) on one device.
#[derive(Clone, Debug)]
pub struct MnistBatcher<B: Backend> {
    device: B::Device,
}

impl<B: Backend> MnistBatcher<B> {
    pub fn new(device: B::Device) -> Self {
        MnistBatcher { device }
    }
}

impl<B: Backend> Batcher<MnistItem, MnistBatch<B>> for MnistBatcher<B> {
    fn batch(&self, items: Vec<MnistItem>) -> MnistBatch<B> {
        let (pixels, labels) = host_batch(&items);
        let images = TensorData::new(pixels, [items.len(), SIDE, SIDE]);
        let targets = TensorData::new(labels, [items.len()]);
        MnistBatch {
            images: Tensor::from_data(images, &self.device),
            targets: Tensor::from_data(targets, &self.device),
        }
    }
}

/// Pixels with mean 0 and variance 1 over MNIST's training images, and the labels.
fn host_batch(items: &[MnistItem]) -> (Vec<f32>, Vec<i64>) {
    let standardise = |pixel: f32| (pixel / 255.0 - 0.1307) / 0.3081;
    let pixels = items.iter().flat_map(|item| item.image.as_flattened()).map(|&pixel| standardise(pixel));
    (pixels.collect(), items.iter().map(|item| i64::from(item.label)).collect())
}
// ANCHOR_END: batcher
