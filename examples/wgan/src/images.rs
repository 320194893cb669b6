//! Images as rows of pixels from -1 to 1.

use burn::data::dataset::vision::{DigitsDataset, MnistDataset};
use burn::data::dataset::{Dataset, DatasetError};
use burn::prelude::*;

/// Square images of one size.
#[derive(Clone, Debug)]
pub struct Images {
    /// Height and width.
    pub side: usize,
    /// Pixels of all images, `side * side` each, from -1 (background) to 1.
    pub pixels: Vec<f32>,
}

impl Images {
    /// Returns the 1,797 digits of 8 x 8 pixels inside of the program.
    pub fn digits() -> Self {
        let items = DigitsDataset::new();
        let pixels = items.iter().flat_map(|item| item.image.into_iter().flatten());
        Images { side: 8, pixels: pixels.map(|pixel| pixel / 8.0 - 1.0).collect() }
    }

    /// Returns the 60,000 digits of 28 x 28 pixels of MNIST, which are downloaded.
    ///
    /// # Errors
    /// If they cannot be downloaded.
    pub fn mnist() -> Result<Self, DatasetError> {
        let items = MnistDataset::try_train()?;
        let pixels = items.iter().flat_map(|item| item.image.into_iter().flatten());
        Ok(Images { side: 28, pixels: pixels.map(|pixel| pixel / 127.5 - 1.0).collect() })
    }

    /// Returns the images as `[images, side * side]`.
    pub fn to_tensor<B: Backend>(&self, device: &B::Device) -> Tensor<B, 2> {
        let size = self.side * self.side;
        Tensor::from_data(TensorData::new(self.pixels.clone(), [self.pixels.len() / size, size]), device)
    }
}
