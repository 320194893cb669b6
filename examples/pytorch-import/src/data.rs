use crate::data_file;
use burn::record::RecordError;
use burn::tensor::{Backend, Int, Tensor, TensorData};
use burn_import::npz;

/// Handwritten digits that the network was not trained on.
#[derive(Debug)]
pub struct Digits<B: Backend> {
    /// Pixels from 0 to 1, `[200, 1, 8, 8]`.
    pub images: Tensor<B, 4>,
    /// Digits, `[200]`.
    pub labels: Tensor<B, 1, Int>,
    /// The logits that PyTorch computes, `[200, 10]`.
    pub logits: TensorData,
}

/// Reads the digits.
///
/// # Errors
/// The files are not there.
pub fn digits<B: Backend>(pixel_scale: f64, device: &B::Device) -> Result<Digits<B>, RecordError> {
    let images = Tensor::from_data(array("images")?.convert::<f32>(), device);
    Ok(Digits {
        images: images * pixel_scale,
        labels: Tensor::from_data(array("labels")?.convert::<i64>(), device),
        logits: array("logits")?,
    })
}

fn array(name: &str) -> Result<TensorData, RecordError> {
    let path = data_file(&format!("{name}.npy"));
    npz::open(&path)?.read(name).unwrap_or_else(|| {
        Err(RecordError::File { path: path.display().to_string(), cause: format!("no array `{name}`") })
    })
}
