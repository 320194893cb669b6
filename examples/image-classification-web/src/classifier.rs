use burn::module::Module;
use burn::record::{BinBytesRecorder, HalfPrecisionSettings, RecordError, Recorder};
use burn::tensor::activation::softmax;
use burn::tensor::{Backend, DataError, Tensor, TensorData};
use image_classification::EfficientNetLite0;

/// Format of the weights: numbers of 16 bits, half of what a browser would have to load.
type Weights = BinBytesRecorder<HalfPrecisionSettings>;

/// EfficientNet-Lite0 on a device.
#[derive(Debug)]
pub struct Classifier<B: Backend> {
    model: EfficientNetLite0<B>,
    device: B::Device,
}

impl<B: Backend> Classifier<B> {
    // ANCHOR: load
    /// Loads the network from the bytes that [`weights`](Self::weights) has written.
    ///
    /// # Errors
    /// The bytes are of something else.
    pub fn load(weights: Vec<u8>, device: B::Device) -> Result<Self, RecordError> {
        let record = Weights::new().load(weights, &device)?;
        let model = EfficientNetLite0::new(&device).load_record(record).fold_batch_norm();
        Ok(Classifier { model, device })
    }
    // ANCHOR_END: load

    /// Writes the weights of a network.
    ///
    /// # Errors
    /// A number does not fit into 16 bits.
    pub fn weights(model: EfficientNetLite0<B>) -> Result<Vec<u8>, RecordError> {
        Weights::new().record(model.into_record(), ())
    }

    /// Computes the probabilities of the 1,000 classes, `[1, 1000]`, for a square picture, whose pixels are
    /// red, green, blue and opacity, row by row, as a canvas has them. The network was trained on 224 x 224
    /// pixels.
    ///
    /// # Panics
    /// The pixels are no square.
    pub fn forward(&self, pixels: &[u8]) -> Tensor<B, 2> {
        let side = (pixels.len() / 4).isqrt();
        assert_eq!(pixels.len(), 4 * side * side, "a square of pixels of four bytes each");
        let mut values = Vec::with_capacity(3 * side * side);
        for channel in 0..3 {
            let plane = pixels.chunks_exact(4).map(|pixel| (f32::from(pixel[channel]) - 127.0) / 128.0);
            values.extend(plane);
        }
        let image = Tensor::from_data(TensorData::new(values, [1, 3, side, side]), &self.device);
        softmax(self.model.forward(image), 1)
    }

    /// Computes the probabilities, and reads them without waiting, which is all that a browser allows.
    ///
    /// # Errors
    /// The device failed.
    pub async fn probabilities(&self, pixels: &[u8]) -> Result<Vec<f32>, DataError> {
        let probabilities = self.forward(pixels).into_data_async().await?;
        Ok(probabilities.iter().collect())
    }
}
