use crate::Error;
use burn::nn::interpolate::{Interpolate2dConfig, InterpolateMode};
use burn::tensor::{Backend, Tensor, TensorData};
use std::path::Path;

/// Side of the images that the network is given.
const SIZE: usize = 224;

/// Reads a photograph in the form that the network takes, `[1, 3, 224, 224]` with values from -1 to 1.
///
/// # Errors
/// The file is not there, or is no JPEG file.
pub fn photo<B: Backend>(path: &Path, device: &B::Device) -> Result<Tensor<B, 4>, Error> {
    let image = image::open(path).map_err(|error| format!("`{}`: {error}", path.display()))?.into_rgb8();
    let shape = [1, image.height() as usize, image.width() as usize, 3];
    let pixels = Tensor::<B, 4>::from_data(TensorData::new(image.into_raw(), shape).convert::<f32>(), device);
    let resize =
        Interpolate2dConfig::new().with_output_size(Some([SIZE, SIZE])).with_mode(InterpolateMode::Linear);
    Ok((resize.init().forward(pixels.permute([0, 3, 1, 2])) - 127.0) / 128.0)
}
