//! Image datasets.

#[cfg(feature = "vision")]
mod augmentation;
mod cifar;
#[cfg(feature = "digits")]
mod digits;
mod fashion_mnist;
mod idx;
#[cfg(feature = "vision")]
mod image_folder;
mod mnist;

#[cfg(feature = "vision")]
pub use augmentation::ImageAugmentation;
pub use cifar::{Cifar10Dataset, Cifar10Item, Cifar100Dataset, Cifar100Item, CifarSplit};
#[cfg(feature = "digits")]
pub use digits::{DigitsDataset, DigitsItem, DigitsToMnist, MnistDigits};
pub use fashion_mnist::FashionMnistDataset;
#[cfg(feature = "vision")]
pub use image_folder::{
    Annotation, BoundingBox, ImageDatasetItem, ImageFolderDataset, PixelDepth, Pixels, SegmentationMask,
};
#[allow(deprecated)]
pub use mnist::{MNISTDataset, MNISTItem};
pub use mnist::{MnistDataset, MnistItem, MnistSplit};
