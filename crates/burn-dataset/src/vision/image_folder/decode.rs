use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use image::{DynamicImage, ImageReader, Limits};

use super::item::Pixels;
use super::png_file::{Png, SIGNATURE, Values, decode_png};
use crate::DatasetError;

/// The most bytes of the pixels of a JPEG image: a progressive one takes twice as many beside them.
const MOST_JPEG_BYTES: u64 = 256 << 20;

/// Pixels that one byte of a JPEG file can stand for: at least one bit for each block of 8 x 8, and as much
/// again in doubt.
const MOST_JPEG_PIXELS_A_BYTE: u64 = 8 * 64 * 2;

/// The content of an image file.
pub(super) struct Image {
    pub(super) pixels: Pixels,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
}

/// Opens an image: the file, its size, and whether it is PNG by its first bytes, not by its name.
pub(super) fn open(path: &Path) -> Result<(File, u64, bool), DatasetError> {
    let unreadable = |source: io::Error| DatasetError::Io { path: path.to_owned(), source };
    let mut file = burn_io::open_file(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut start = Vec::new();
    file.by_ref().take(SIGNATURE.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    Ok((file, size, start == SIGNATURE))
}

/// Reads an image; its content decides the format, not its name.
pub(super) fn decode(path: &Path) -> Result<Image, DatasetError> {
    let (file, size, is_png) = open(path)?;
    let image = if is_png {
        decode_png(file, size, Values::Colors).map(Image::from)
    } else {
        decode_jpeg(file, size)
    };
    image.map_err(|reason| damaged(path, &reason))
}

impl From<Png> for Image {
    fn from(Png { pixels, height, width, channels, palette: _ }: Png) -> Self {
        Self { pixels, height, width, channels }
    }
}

/// Reads a file of another format than PNG, which is JPEG or unknown.
fn decode_jpeg(mut file: File, size: u64) -> Result<Image, String> {
    let mut open = || -> Result<_, String> {
        let file = file.rewind().and_then(|()| file.try_clone()).map_err(|error| error.to_string())?;
        let reader = ImageReader::new(BufReader::new(file)).with_guessed_format();
        let mut reader = reader.map_err(|error| error.to_string())?;
        let mut limits = Limits::default();
        limits.max_alloc = Some(MOST_JPEG_BYTES);
        reader.limits(limits);
        Ok(reader)
    };
    let (width, height) = open()?.into_dimensions().map_err(|error| error.to_string())?;
    if u64::from(width) * u64::from(height) > size.saturating_mul(MOST_JPEG_PIXELS_A_BYTE) {
        return Err(format!("it says it has {width} x {height} pixels, more than {size} bytes can hold"));
    }
    let image = open()?.decode().map_err(|error| error.to_string())?;
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
