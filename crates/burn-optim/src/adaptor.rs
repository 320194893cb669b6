use crate::record::StateLayout;
use crate::update::Stepper;
use crate::{
    GradientClippingConfig, GradientsParams, LearningRate, Optimizer, OptimizerRecord, UpdateRule, collect,
    record,
};
use burn_core::module::AutodiffModule;
use burn_core::record::RecordError;
use burn_core::tensor::AutodiffBackend;

/// Optimizer that applies an update rule to each parameter.
#[derive(Clone, Debug)]
pub struct OptimizerAdaptor<R> {
    pub(crate) rule: R,
    pub(crate) stepper: Stepper,
}

impl<R: UpdateRule> OptimizerAdaptor<R> {
    /// Returns an optimizer without state, before its first step.
    pub fn new(rule: R) -> Self {
        OptimizerAdaptor { rule, stepper: Stepper::default() }
    }

    /// Returns this optimizer with gradient clipping before each step.
    #[must_use]
    pub fn with_grad_clipping(mut self, clipping: Option<GradientClippingConfig>) -> Self {
        self.stepper.clipping = clipping;
        self
    }

    /// Returns this optimizer with or without master weights: an `f32` copy of every `f16` or `bf16`
    /// parameter, which the update rule steps and which is rounded to the parameter.
    ///
    /// Without them, an update that is smaller than half a unit in the last place of the parameter is lost.
    /// The update and its state are computed in `f32` with and without the copies. Parameters of other dtypes
    /// have none.
    ///
    /// The copies are a part of the state: values that are put into the module between two steps, such as
    /// those of another checkpoint, are replaced by the next step unless the state is replaced too.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::module::Param;
    /// use burn::optim::{GradientsParams, Optimizer, SgdConfig};
    /// use burn::tensor::{Tensor, bf16};
    ///
    /// type B = Autodiff<NdArray<bf16>>;
    /// let mut x: Param<Tensor<B, 1>> = Param::from_data([1.0], &Default::default());
    /// let mut sgd = SgdConfig::new().init().with_master_weights(true);
    /// for _ in 0..4 {
    ///     let grads = GradientsParams::from_grads(x.val().sum().backward(), &x);
    ///     x = sgd.step(1e-3, x, grads);
    /// }
    /// // Each step alone is lost in the rounding of 1.0.
    /// assert_eq!(x.val().into_data().to_f64(), [0.99609375]);
    /// ```
    #[must_use]
    pub fn with_master_weights(mut self, master_weights: bool) -> Self {
        self.stepper.master_weights = master_weights;
        self
    }

    /// Returns the state. See [`Optimizer::to_record`].
    pub fn to_record(&self) -> OptimizerRecord<R> {
        OptimizerRecord::new(self.stepper.states.clone())
    }

    /// Returns this optimizer with the state of `record`. See [`Optimizer::load_record`].
    #[must_use]
    pub fn load_record(mut self, record: OptimizerRecord<R>) -> Self {
        self.stepper.states = record.states;
        self
    }
}

impl<R, M, B> Optimizer<M, B> for OptimizerAdaptor<R>
where
    R: UpdateRule + Clone,
    M: AutodiffModule<B>,
    B: AutodiffBackend,
{
    type Record = OptimizerRecord<R>;

    fn step(&mut self, lr: LearningRate, mut module: M, grads: GradientsParams) -> M {
        self.stepper.step(&self.rule, lr, &mut module, grads.into());
        module
    }

    fn to_record(&self) -> Self::Record {
        self.to_record()
    }

    fn load_record(self, record: Self::Record) -> Self {
        self.load_record(record)
    }

    fn try_load_record(self, record: Self::Record, module: &M) -> Result<Self, RecordError> {
        let layout = StateLayout::of::<R>();
        record::check(&record.states, &collect::parameters(module), layout).map(|()| self.load_record(record))
    }
}
