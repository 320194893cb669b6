use crate::metric::{AccuracyInput, Adaptor, ClassificationInput, LossInput};
use burn_tensor::{Backend, Int, Tensor};

/// The output of a step that chooses one of several classes.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::ClassificationOutput;
/// use burn::train::metric::{Adaptor, LossInput};
///
/// let device = Default::default();
/// let output = ClassificationOutput::<NdArray>::new(
///     Tensor::from_data([0.7], &device),
///     Tensor::from_data([[0.2, 0.8]], &device),
///     Tensor::from_data([1], &device),
/// );
/// let LossInput { tensor, items } = output.adapt();
/// assert_eq!((tensor.dims(), items), ([1], Some(1)));
/// ```
#[derive(Clone, Debug)]
pub struct ClassificationOutput<B: Backend> {
    /// The loss, reduced to `[1]` or not.
    pub loss: Tensor<B, 1>,
    /// The scores, `[batch, classes]`.
    pub output: Tensor<B, 2>,
    /// The classes that are right, `[batch]`.
    pub targets: Tensor<B, 1, Int>,
}

impl<B: Backend> ClassificationOutput<B> {
    /// Puts loss, scores `[batch, classes]` and classes `[batch]` together.
    pub fn new(loss: Tensor<B, 1>, output: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Self {
        Self { loss, output, targets }
    }
}

impl<B: Backend> Adaptor<AccuracyInput<B>> for ClassificationOutput<B> {
    fn adapt(&self) -> AccuracyInput<B> {
        AccuracyInput::new(self.output.clone(), self.targets.clone())
    }
}

impl<B: Backend> Adaptor<LossInput<B>> for ClassificationOutput<B> {
    fn adapt(&self) -> LossInput<B> {
        LossInput::new(self.loss.clone()).with_items(self.output.dims()[0])
    }
}

impl<B: Backend> Adaptor<ClassificationInput<B>> for ClassificationOutput<B> {
    fn adapt(&self) -> ClassificationInput<B> {
        ClassificationInput::multiclass(self.output.clone(), self.targets.clone())
    }
}
