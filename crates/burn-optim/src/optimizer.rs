use crate::{GradientsParams, LearningRate};
use burn_core::module::AutodiffModule;
use burn_core::record::{Record, RecordError};
use burn_core::tensor::AutodiffBackend;

/// Changes the parameters of a module by their gradients.
///
/// What the config of an optimizer makes with `init()` works with every module and backend; the state is kept by the
/// identifier of the parameter.
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
    /// The state between steps, as it is saved.
    type Record: Record<B>;

    /// The module after one step.
    ///
    /// Parameters without a gradient stay, and so do those that ask for none; so several optimizers, or one with
    /// several rates, can each step a part of the gradients. A module that holds a parameter twice (with one
    /// identifier) keeps both the same, unless one asks for no gradient.
    #[must_use]
    fn step(&mut self, lr: LearningRate, module: M, grads: GradientsParams) -> M;

    /// The state. It shares the tensors until they are changed.
    fn to_record(&self) -> Self::Record;

    /// This optimizer with the state of `record`. That of a parameter is moved to its device and element type when
    /// it is stepped.
    #[must_use]
    fn load_record(self, record: Self::Record) -> Self;

    /// [`load_record`](Self::load_record) of a state that is to fit `module`.
    ///
    /// # Errors
    /// A parameter has another shape than its state; the error has all of them.
    fn try_load_record(self, record: Self::Record, module: &M) -> Result<Self, RecordError>;
}
