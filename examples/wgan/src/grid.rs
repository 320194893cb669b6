//! Pictures of many images.

use burn::prelude::*;
use image::{GrayImage, ImageFormat, ImageResult, Luma};
use std::io::Cursor;

/// Returns a PNG file with images, `[count, side * side]` from -1 to 1, side by side in rows of `columns`;
/// each pixel is a square of `scale` pixels.
///
/// # Errors
/// If the picture is too large for a PNG file.
pub fn png<B: Backend>(
    images: Tensor<B, 2>,
    side: usize,
    columns: usize,
    scale: usize,
) -> ImageResult<Vec<u8>> {
    let [count, size] = images.dims();
    let pixels: Vec<f32> = images.into_data().iter().collect();
    let cell = (side * scale + scale) as u32;
    let (width, height) = (columns as u32 * cell, count.div_ceil(columns) as u32 * cell);
    let picture = GrayImage::from_fn(width, height, |x, y| {
        let at = (x / cell) as usize + (y / cell) as usize * columns;
        let (column, row) = ((x % cell) as usize / scale, (y % cell) as usize / scale);
        if at >= count || column >= side || row >= side {
            return Luma([64]);
        }
        Luma([(127.5 * (pixels[at * size + row * side + column] + 1.0)).round().clamp(0.0, 255.0) as u8])
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png)?;
    Ok(file.into_inner())
}
