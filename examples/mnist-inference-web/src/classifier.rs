use crate::SIDE;
use burn::tensor::activation::softmax;
use burn::tensor::{Backend, DataError, Tensor, TensorData};
use onnx_inference::Model;

/// Network for handwritten digits, with its weights, which are part of the program.
#[derive(Debug)]
pub struct Classifier<B: Backend> {
    model: Model<B>,
    device: B::Device,
}

impl<B: Backend> Classifier<B> {
    /// Creates the network on `device`.
    pub fn new(device: B::Device) -> Self {
        Classifier { model: Model::from_embedded_on(&device), device }
    }

    /// Computes the probabilities of the ten digits, `[images, 10]`, for images of 8 x 8 pixels from 0 to 16,
    /// one after the other.
    pub fn forward(&self, images: Vec<f32>) -> Tensor<B, 2> {
        let shape = [images.len() / (SIDE * SIDE), 1, SIDE, SIDE];
        let images = Tensor::from_data(TensorData::new(images, shape), &self.device);
        softmax(self.model.forward(images), 1)
    }

    // ANCHOR: probabilities
    /// Computes the probabilities, and reads them without waiting, which is all that a browser allows.
    ///
    /// # Errors
    /// The device failed.
    pub async fn probabilities(&self, images: Vec<f32>) -> Result<Vec<f32>, DataError> {
        let probabilities = self.forward(images).into_data_async().await?;
        Ok(probabilities.iter().collect())
    }
    // ANCHOR_END: probabilities
}
