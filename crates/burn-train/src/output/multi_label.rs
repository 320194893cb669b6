use crate::metric::{Adaptor, ClassificationInput, LossInput};
use burn_tensor::{Backend, Int, Tensor};

/// The output of a step that says of each of several labels whether it holds.
#[derive(Clone, Debug)]
pub struct MultiLabelOutput<B: Backend> {
    /// The loss, reduced to `[1]` or not.
    pub loss: Tensor<B, 1>,
    /// The probabilities, `[batch, labels]`.
    pub output: Tensor<B, 2>,
    /// Whether each label holds (1) or not (0), `[batch, labels]`.
    pub targets: Tensor<B, 2, Int>,
}

impl<B: Backend> MultiLabelOutput<B> {
    /// Puts loss, probabilities and labels (both `[batch, labels]`) together.
    pub fn new(loss: Tensor<B, 1>, output: Tensor<B, 2>, targets: Tensor<B, 2, Int>) -> Self {
        Self { loss, output, targets }
    }
}

impl<B: Backend> Adaptor<ClassificationInput<B>> for MultiLabelOutput<B> {
    fn adapt(&self) -> ClassificationInput<B> {
        ClassificationInput::multilabel(self.output.clone(), self.targets.clone())
    }
}

impl<B: Backend> Adaptor<LossInput<B>> for MultiLabelOutput<B> {
    fn adapt(&self) -> LossInput<B> {
        LossInput::new(self.loss.clone()).with_items(self.output.dims()[0])
    }
}
