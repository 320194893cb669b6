use super::{loss_scale, step_hook};
use burn_core::module::AutodiffModule;
use burn_core::tensor::{AutodiffBackend, Tensor};
use burn_optim::GradientsParams;

/// Learns from a batch: the forward pass, and the gradients of the loss.
///
/// ```
/// use burn::module::Module;
/// use burn::nn::Linear;
/// use burn::tensor::{AutodiffBackend, Backend, Tensor};
/// use burn::train::{RegressionOutput, TrainOutput, TrainStep, ValidStep};
///
/// #[derive(Module, Debug)]
/// struct Model<B: Backend> {
///     linear: Linear<B>,
/// }
///
/// type Batch<B> = (Tensor<B, 2>, Tensor<B, 2>);
///
/// impl<B: Backend> Model<B> {
///     fn forward_regression(&self, (inputs, targets): Batch<B>) -> RegressionOutput<B> {
///         let output = self.linear.forward(inputs);
///         let loss = (output.clone() - targets.clone()).square().mean();
///         RegressionOutput::new(loss, output, targets)
///     }
/// }
///
/// impl<B: AutodiffBackend> TrainStep<Batch<B>, RegressionOutput<B>> for Model<B> {
///     fn step(&self, batch: Batch<B>) -> TrainOutput<RegressionOutput<B>> {
///         let item = self.forward_regression(batch);
///         TrainOutput::new(self, item.loss.backward(), item)
///     }
/// }
///
/// impl<B: Backend> ValidStep<Batch<B>, RegressionOutput<B>> for Model<B> {
///     fn step(&self, batch: Batch<B>) -> RegressionOutput<B> {
///         self.forward_regression(batch)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no training step from `{I}` to `{O}`",
    note = "implement `TrainStep<Batch, Output>` with `fn step(&self, batch: Batch) -> TrainOutput<Output>`"
)]
pub trait TrainStep<I, O> {
    /// Takes a batch, and returns the gradients and what metrics look at.
    fn step(&self, item: I) -> TrainOutput<O>;
}

/// Looks at a batch on the inner backend, where nothing is tracked. See [`TrainStep`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no validation step from `{I}` to `{O}`",
    note = "implement `ValidStep<Batch, Output>` with `fn step(&self, batch: Batch) -> Output` for the model on \
            every backend: validation runs on the one inside of `Autodiff`"
)]
pub trait ValidStep<I, O> {
    /// Takes a batch, and returns what metrics look at.
    fn step(&self, item: I) -> O;
}

/// Output of a training step.
#[derive(Clone, Debug)]
pub struct TrainOutput<O> {
    /// The gradients of the parameters.
    pub grads: GradientsParams,
    /// Input of the metrics.
    pub item: O,
}

impl<O> TrainOutput<O> {
    /// Takes the gradients of the parameters of `model` out of `grads`.
    pub fn new<B: AutodiffBackend, M: AutodiffModule<B>>(model: &M, grads: B::Gradients, item: O) -> Self {
        Self { grads: GradientsParams::from_grads::<B, M>(grads, model), item }
    }

    /// Runs the backward pass of `loss`, and takes the gradients of the parameters of `model`.
    ///
    /// The loss is scaled where the run has a [loss scale](crate::LearnerBuilder::mixed_precision), and the
    /// gradients are scaled with it; the learner divides them again. In a run on several ranks, the gradients
    /// are averaged over ranks while the backward pass runs: changes that the step makes to them afterwards
    /// have no effect.
    ///
    /// # Panics
    /// If the loss depends on no parameter.
    #[track_caller]
    pub fn from_loss<B: AutodiffBackend, M: AutodiffModule<B>, const D: usize>(
        model: &M,
        loss: Tensor<B, D>,
        item: O,
    ) -> Self {
        let loss = match loss_scale::take() {
            Some(scale) => loss * scale,
            None => loss,
        };
        let _scope = step_hook::enter();
        Self::new(model, loss.backward(), item)
    }
}
