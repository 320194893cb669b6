mod dataset;
mod item;
mod to_mnist;

pub use dataset::DigitsDataset;
pub use item::DigitsItem;
pub use to_mnist::{DigitsToMnist, MnistDigits};
