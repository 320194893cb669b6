mod coco;
mod dataset;
mod decode;
mod item;
mod mask;
mod png_file;
mod segmentation;

pub use dataset::ImageFolderDataset;
pub use item::{Annotation, BoundingBox, ImageDatasetItem, PixelDepth, Pixels, SegmentationMask};
