mod dataset;
#[cfg(feature = "download")]
mod download;
mod file;
mod item;
mod location;
mod split;

#[allow(deprecated)]
pub use dataset::MNISTDataset;
pub use dataset::MnistDataset;
#[allow(deprecated)]
pub use item::MNISTItem;
pub use item::MnistItem;
pub use split::MnistSplit;
