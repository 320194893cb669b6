//! Image datasets.

#[cfg(feature = "digits")]
mod digits;
mod idx;
#[cfg(feature = "vision")]
mod image_folder;
mod mnist;

#[cfg(feature = "digits")]
pub use digits::{DigitsDataset, DigitsItem, DigitsToMnist, MnistDigits};
#[cfg(feature = "vision")]
pub use image_folder::{Annotation, ImageDatasetItem, ImageFolderDataset, Pixels};
#[allow(deprecated)]
pub use mnist::{MNISTDataset, MNISTItem};
pub use mnist::{MnistDataset, MnistItem, MnistSplit};
