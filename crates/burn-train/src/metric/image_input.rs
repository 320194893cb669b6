use burn_tensor::{Backend, Tensor};

/// Images that a model made and the images that are right, both `[batch, channels, height, width]`.
///
/// Input of [`PsnrMetric`](super::PsnrMetric) and [`SsimMetric`](super::SsimMetric).
#[derive(Clone, Debug)]
pub struct ImageInput<B: Backend> {
    /// The images of the model.
    pub predictions: Tensor<B, 4>,
    /// The images that are right.
    pub targets: Tensor<B, 4>,
}

impl<B: Backend> ImageInput<B> {
    /// Pairs images of a model with the images that are right, both `[batch, channels, height, width]`.
    ///
    /// # Panics
    /// If their shapes differ.
    #[track_caller]
    pub fn new(predictions: Tensor<B, 4>, targets: Tensor<B, 4>) -> Self {
        assert!(
            predictions.dims() == targets.dims(),
            "image metric: predictions and targets have different shapes: {:?} and {:?}",
            predictions.dims(),
            targets.dims()
        );
        Self { predictions, targets }
    }
}
