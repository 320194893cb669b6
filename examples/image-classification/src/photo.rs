use crate::Error;
use burn::nn::interpolate::{Interpolate2dConfig, InterpolateMode};
use burn::tensor::{Backend, Tensor, TensorData, s};
use std::path::Path;

/// Side of the images that the network is given.
const SIZE: usize = 224;

/// Shorter side of a photograph before its middle is cut out.
const RESIZED: usize = 256;

/// Reads a photograph in the form that the network takes, `[1, 3, 224, 224]` with values from -1 to 1. As the
/// network was trained, the shorter side is resized to 256 pixels, and 224 x 224 are cut out of the middle.
///
/// # Errors
/// The file is not there, or is no JPEG file.
pub fn photo<B: Backend>(path: &Path, device: &B::Device) -> Result<Tensor<B, 4>, Error> {
    let image = image::open(path).map_err(|error| format!("`{}`: {error}", path.display()))?.into_rgb8();
    let (height, width) = (image.height() as usize, image.width() as usize);
    let data = TensorData::new(image.into_raw(), [1, height, width, 3]).convert::<f32>();
    let pixels = Tensor::<B, 4>::from_data(data, device).permute([0, 3, 1, 2]);
    let [height, width] = [height, width].map(|side| side * RESIZED / height.min(width));
    let resize =
        Interpolate2dConfig::new().with_output_size(Some([height, width])).with_mode(InterpolateMode::Linear);
    let (top, left) = ((height - SIZE) / 2, (width - SIZE) / 2);
    let cropped = resize.init().forward(pixels).slice(s![.., .., top..top + SIZE, left..left + SIZE]);
    Ok((cropped - 127.0) / 128.0)
}
