use std::io;
use std::path::Path;

use image::{DynamicImage, ImageError, ImageReader};

use super::item::{Annotation, ImageDatasetItem, Pixels};
use crate::DatasetError;

/// Reads an image; its content decides the format, not its name.
pub(super) fn decode(path: &Path, annotation: Annotation) -> Result<ImageDatasetItem, DatasetError> {
    let unreadable = |source: io::Error| DatasetError::Io { path: path.to_owned(), source };
    let reader = ImageReader::open(path).map_err(unreadable)?.with_guessed_format().map_err(unreadable)?;
    let image = reader.decode().map_err(|error| damaged(path, &error))?;
    let (height, width) = (image.height() as usize, image.width() as usize);
    let channels = usize::from(image.color().channel_count());
    let image = pixels(image);
    Ok(ImageDatasetItem { image, height, width, channels, annotation, image_path: path.to_owned() })
}

fn damaged(path: &Path, error: &ImageError) -> DatasetError {
    DatasetError::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
        advice: "Replace it by a PNG or JPEG file, or take it out of the dataset".to_owned(),
    }
}

fn pixels(image: DynamicImage) -> Pixels {
    match image {
        DynamicImage::ImageLuma16(image) => Pixels::U16(image.into_raw()),
        DynamicImage::ImageLumaA16(image) => Pixels::U16(image.into_raw()),
        DynamicImage::ImageRgb16(image) => Pixels::U16(image.into_raw()),
        DynamicImage::ImageRgba16(image) => Pixels::U16(image.into_raw()),
        DynamicImage::ImageRgb32F(image) => Pixels::F32(image.into_raw()),
        DynamicImage::ImageRgba32F(image) => Pixels::F32(image.into_raw()),
        eight_bit => Pixels::U8(eight_bit.into_bytes()),
    }
}
