//! Images in three splits, and batches of them.

use burn::data::dataloader::Batcher;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistDataset, MnistItem};
use burn::prelude::*;
use burn::train::ToDevice;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Images `[batch, 1, 28, 28]`, standardised, and the digits on them, `[batch]`.
#[derive(Clone, Debug)]
pub struct MnistBatch<B: Backend> {
    pub images: Tensor<B, 4>,
    pub targets: Tensor<B, 1, Int>,
}

/// Moves a batch, for training on several devices.
impl<B: Backend> ToDevice<B> for MnistBatch<B> {
    fn to_device(self, device: &B::Device) -> Self {
        MnistBatch { images: self.images.to_device(device), targets: self.targets.to_device(device) }
    }
}

/// Makes batches on one device.
#[derive(Clone, Debug)]
pub struct MnistBatcher<B: Backend> {
    pub device: B::Device,
}

impl<B: Backend> Batcher<MnistItem, MnistBatch<B>> for MnistBatcher<B> {
    fn batch(&self, items: Vec<MnistItem>) -> MnistBatch<B> {
        let pixels = items.iter().flat_map(|item| item.image.as_flattened());
        let pixels: Vec<f32> = pixels.map(|pixel| (pixel / 255.0 - 0.1307) / 0.3081).collect();
        let digits: Vec<i64> = items.iter().map(|item| i64::from(item.label)).collect();
        let rows = items.len();
        MnistBatch {
            images: Tensor::from_data(TensorData::new(pixels, [rows, 1, 28, 28]), &self.device),
            targets: Tensor::from_data(TensorData::new(digits, [rows]), &self.device),
        }
    }
}

/// Images to learn from, images by which epochs are chosen, and images that are seen once, in the end.
#[derive(Clone)]
pub struct Splits {
    pub train: Arc<dyn Dataset<MnistItem>>,
    pub valid: Arc<dyn Dataset<MnistItem>>,
    pub test: Arc<dyn Dataset<MnistItem>>,
}

impl fmt::Debug for Splits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Splits { train, valid, test } = self;
        write!(f, "Splits({} to train, {} to validate, {} to test)", train.len(), valid.len(), test.len())
    }
}

impl Splits {
    /// Returns the 1,797 digits that are part of the program.
    pub fn digits(seed: u64) -> Self {
        let (train, test) = DigitsDataset::train_test_mnist(seed);
        Self::new(Arc::new(train), Arc::new(test))
    }

    /// Downloads the 70,000 images of MNIST.
    ///
    /// # Errors
    /// If they cannot be downloaded.
    pub fn mnist() -> Result<Self, Box<dyn Error>> {
        Ok(Self::new(Arc::new(MnistDataset::try_train()?), Arc::new(MnistDataset::try_test()?)))
    }

    fn new(images: Arc<dyn Dataset<MnistItem>>, test: Arc<dyn Dataset<MnistItem>>) -> Self {
        let (count, cut) = (images.len(), images.len() - images.len() / 8);
        let valid = Arc::new(PartialDataset::new(images.clone(), cut, count));
        Splits { train: Arc::new(PartialDataset::new(images, 0, cut)), valid, test }
    }

    /// Keeps at most `count` training images.
    pub fn with_train_images(mut self, count: usize) -> Self {
        self.train = Arc::new(PartialDataset::new(self.train, 0, count));
        self
    }
}
