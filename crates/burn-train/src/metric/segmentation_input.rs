use burn_tensor::{Backend, Int, Tensor};

/// Scores of every pixel of a batch of images and the classes that are right.
#[derive(Clone, Debug)]
pub struct SegmentationInput<B: Backend> {
    /// The scores, `[batch, classes, height, width]`; only their order counts.
    pub scores: Tensor<B, 4>,
    /// The classes, `[batch, height, width]`.
    pub targets: Tensor<B, 3, Int>,
}

impl<B: Backend> SegmentationInput<B> {
    /// Pairs scores `[batch, classes, height, width]` with classes `[batch, height, width]`.
    pub fn new(scores: Tensor<B, 4>, targets: Tensor<B, 3, Int>) -> Self {
        Self { scores, targets }
    }
}
