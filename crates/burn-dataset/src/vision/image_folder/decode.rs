use std::fmt::Display;
use std::fs::File;
use std::io;
use std::path::Path;

use burn_io::GZIP_RATIO;
use image::{DynamicImage, ImageReader, Limits};

use super::item::Pixels;
use crate::DatasetError;

/// The most bytes of the pixels of an image, and of what decoding takes beside them.
const MOST_BYTES: u64 = 512 << 20;

/// Pixels that one byte of a file can stand for: PNG has eight in a byte, which DEFLATE packs 1032 to one; JPEG takes
/// two bits for a block of 8 x 8.
const MOST_PIXELS_A_BYTE: u64 = 8 * GZIP_RATIO;

/// The content of an image file.
pub(super) struct Image {
    pub(super) pixels: Pixels,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
}

/// Reads an image; its content decides the format, not its name.
pub(super) fn decode(path: &Path) -> Result<Image, DatasetError> {
    let unreadable = |source: io::Error| DatasetError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let open = || ImageReader::open(path).and_then(ImageReader::with_guessed_format).map_err(unreadable);
    let (width, height) = open()?.into_dimensions().map_err(|error| damaged(path, &error))?;
    let pixels_in_file = u64::from(width) * u64::from(height);
    if pixels_in_file > size.saturating_mul(MOST_PIXELS_A_BYTE) {
        let reason = format!("it says it has {width} x {height} pixels, more than {size} bytes can hold");
        return Err(damaged(path, &reason));
    }
    let mut reader = open()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    let image = reader.decode().map_err(|error| damaged(path, &error))?;
    let (height, width) = (image.height() as usize, image.width() as usize);
    let channels = usize::from(image.color().channel_count());
    Ok(Image { pixels: pixels(image), height, width, channels })
}

pub(super) fn damaged(path: &Path, error: &dyn Display) -> DatasetError {
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
