use crate::metric::{Adaptor, LossInput, RegressionInput};
use burn_tensor::{Backend, Tensor};

/// The output of a step that predicts numbers.
#[derive(Clone, Debug)]
pub struct RegressionOutput<B: Backend> {
    /// The loss, reduced to `[1]` or not.
    pub loss: Tensor<B, 1>,
    /// The predictions, `[batch, numbers]`.
    pub output: Tensor<B, 2>,
    /// The numbers that are right, `[batch, numbers]`.
    pub targets: Tensor<B, 2>,
}

impl<B: Backend> RegressionOutput<B> {
    /// Puts loss, predictions and right numbers (both `[batch, numbers]`) together.
    pub fn new(loss: Tensor<B, 1>, output: Tensor<B, 2>, targets: Tensor<B, 2>) -> Self {
        Self { loss, output, targets }
    }
}

impl<B: Backend> Adaptor<LossInput<B>> for RegressionOutput<B> {
    fn adapt(&self) -> LossInput<B> {
        LossInput::new(self.loss.clone()).with_items(self.output.dims()[0])
    }
}

impl<B: Backend> Adaptor<RegressionInput<B>> for RegressionOutput<B> {
    fn adapt(&self) -> RegressionInput<B> {
        RegressionInput::new(self.output.clone(), self.targets.clone())
    }
}
