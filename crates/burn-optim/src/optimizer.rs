use crate::{GradientsParams, LearningRate};
use burn_core::module::AutodiffModule;
use burn_core::record::{Record, RecordError};
use burn_core::tensor::AutodiffBackend;

/// Optimizer: updates the parameters of a module by their gradients.
///
/// The optimizer that a config returns from `init()` works with every module and backend; its state is kept
/// by the identifier of the parameter.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{GradientsParams, Optimizer, SgdConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let mut model: Linear<Autodiff<NdArray>> = LinearConfig::new(2, 1).init(&device);
/// let mut optimizer = SgdConfig::new().init();
///
/// let mut losses = Vec::new();
/// for _ in 0..3 {
///     let loss = model.forward(Tensor::<_, 2>::ones([1, 2], &device)).square().mean();
///     let grads = GradientsParams::from_grads(loss.backward(), &model);
///     model = optimizer.step(0.1, model, grads);
///     losses.push(loss.into_scalar());
/// }
/// assert!(losses[2] < losses[0]);
/// ```
pub trait Optimizer<M: AutodiffModule<B>, B: AutodiffBackend>: Send + Clone {
    /// Record of the state between steps.
    type Record: Record<B>;

    /// Performs one step and returns the updated module.
    ///
    /// Parameters without a gradient, or that require none, are unchanged; so several optimizers, or one with
    /// several learning rates, can each step a part of the gradients. A module that holds a parameter twice
    /// (with one identifier) keeps both the same, unless one requires no gradient.
    #[must_use]
    fn step(&mut self, lr: LearningRate, module: M, grads: GradientsParams) -> M;

    /// Returns the state. It shares the tensors until they are changed.
    fn to_record(&self) -> Self::Record;

    /// Returns this optimizer with the state of `record`. The state of a parameter is moved to its device and
    /// dtype when it is stepped.
    #[must_use]
    fn load_record(self, record: Self::Record) -> Self;

    /// Returns this optimizer with the state of `record`, after comparing its shapes with those of `module`,
    /// whose own record is loaded first: it has the identifiers of the parameters.
    ///
    /// # Errors
    /// The shape of a parameter differs from that of its state, and the error lists the paths of all of them; or
    /// the record has the state of other parameters only.
    fn try_load_record(self, record: Self::Record, module: &M) -> Result<Self, RecordError>;
}
