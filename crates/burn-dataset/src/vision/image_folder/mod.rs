mod dataset;
mod decode;
mod item;
mod walk;

pub use dataset::ImageFolderDataset;
pub use item::{Annotation, ImageDatasetItem, Pixels};
