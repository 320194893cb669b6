//! The images of a folder, all of one size.

use std::path::Path;

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::vision::{Annotation, ImageDatasetItem, ImageFolderDataset};
use burn::data::dataset::{Dataset, DatasetError};
use burn::prelude::*;

/// An image and its class.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledImage {
    /// The values from 0 to 1, row by row, the channels of a pixel side by side.
    pub pixels: Vec<f32>,
    /// The class, a position in the list of classes.
    pub label: usize,
}

/// `[channels, height, width]`.
pub type Size = [usize; 3];

// ANCHOR: dataset
/// The images below a folder with a subfolder for each class.
#[derive(Clone, Debug)]
pub struct ImagesDataset {
    folder: ImageFolderDataset,
    size: Size,
}

impl ImagesDataset {
    /// Opens a folder; all images must have the size of the first one.
    ///
    /// # Errors
    /// If the folder has no class, a class has no image, or the first image cannot be read.
    pub fn open(root: &Path) -> Result<Self, DatasetError> {
        let folder = ImageFolderDataset::new_classification(root)?;
        let first = folder.try_get(0)?.ok_or(DatasetError::NoItem { index: 0, len: folder.len() })?;
        Ok(Self { folder, size: [first.channels, first.height, first.width] })
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn classes(&self) -> &[String] {
        self.folder.classes()
    }

    fn labelled(&self, item: &ImageDatasetItem) -> Result<LabelledImage, DatasetError> {
        let size = [item.channels, item.height, item.width];
        match item.annotation {
            Annotation::Label(label) if size == self.size => {
                Ok(LabelledImage { pixels: item.image.to_unit_range(), label })
            }
            _ => Err(DatasetError::Damaged {
                path: item.image_path.clone(),
                reason: format!(
                    "its channels, height and width are {size:?}, those of the first image {:?}",
                    self.size
                ),
                advice: "Bring all images to one size".to_owned(),
            }),
        }
    }
}

impl Dataset<LabelledImage> for ImagesDataset {
    fn get(&self, index: usize) -> Option<LabelledImage> {
        self.try_get(index).ok().flatten()
    }

    // An error of a file reaches the data loader, whose own error names the item.
    fn try_get(&self, index: usize) -> Result<Option<LabelledImage>, DatasetError> {
        self.folder.try_get(index)?.map(|item| self.labelled(&item)).transpose()
    }

    fn len(&self) -> usize {
        self.folder.len()
    }
}
// ANCHOR_END: dataset

/// Images and their classes on a device.
#[derive(Clone, Debug)]
pub struct ImageBatch<B: Backend> {
    /// `[batch, channels, height, width]`, from -1 to 1.
    pub images: Tensor<B, 4>,
    /// `[batch]`.
    pub targets: Tensor<B, 1, Int>,
}

/// Makes batches of images on one device.
#[derive(Clone, Debug)]
pub struct ImageBatcher<B: Backend> {
    size: Size,
    device: B::Device,
}

impl<B: Backend> ImageBatcher<B> {
    pub fn new(size: Size, device: B::Device) -> Self {
        Self { size, device }
    }
}

impl<B: Backend> Batcher<LabelledImage, ImageBatch<B>> for ImageBatcher<B> {
    fn batch(&self, items: Vec<LabelledImage>) -> ImageBatch<B> {
        let ([channels, height, width], count) = (self.size, items.len());
        let targets: Vec<i64> = items.iter().map(|item| item.label as i64).collect();
        let pixels: Vec<f32> = items.into_iter().flat_map(|item| item.pixels).collect();
        let images = TensorData::new(pixels, [count, height, width, channels]);
        // Files have the channels of a pixel side by side, convolutions have a plane for each.
        let images = Tensor::<B, 4>::from_data(images, &self.device).permute([0, 3, 1, 2]);
        ImageBatch {
            images: images * 2.0 - 1.0,
            targets: Tensor::from_data(TensorData::new(targets, [count]), &self.device),
        }
    }
}
