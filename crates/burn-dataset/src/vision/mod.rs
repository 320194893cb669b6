//! Image datasets.

#[cfg(feature = "digits")]
mod digits;
mod idx;
mod mnist;

#[cfg(feature = "digits")]
pub use digits::{DigitsDataset, DigitsItem, DigitsToMnist, MnistDigits};
#[allow(deprecated)]
pub use mnist::{MNISTDataset, MNISTItem};
pub use mnist::{MnistDataset, MnistItem, MnistSplit};
