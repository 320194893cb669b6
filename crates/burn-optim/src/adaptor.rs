use crate::update::{States, Update};
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
    rule: R,
    states: States,
    clipping: Option<GradientClippingConfig>,
}

impl<R: UpdateRule> OptimizerAdaptor<R> {
    /// Returns an optimizer without state, before its first step.
    pub fn new(rule: R) -> Self {
        OptimizerAdaptor { rule, states: States::new(), clipping: None }
    }

    /// Returns this optimizer with gradient clipping before each step.
    #[must_use]
    pub fn with_grad_clipping(mut self, clipping: Option<GradientClippingConfig>) -> Self {
        self.clipping = clipping;
        self
    }

    /// Returns the state. See [`Optimizer::to_record`].
    pub fn to_record(&self) -> OptimizerRecord<R> {
        OptimizerRecord::new(self.states.clone())
    }

    /// Returns this optimizer with the state of `record`. See [`Optimizer::load_record`].
    #[must_use]
    pub fn load_record(mut self, record: OptimizerRecord<R>) -> Self {
        self.states = record.states;
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

    fn step(&mut self, lr: LearningRate, mut module: M, mut grads: GradientsParams) -> M {
        if let Some(clipping) = &self.clipping {
            clipping.clip(&mut grads);
        }
        let mut update = Update::new(&self.rule, &mut self.states, lr, grads);
        module.map_params(&mut update.on::<B>());
        module
    }

    fn to_record(&self) -> Self::Record {
        self.to_record()
    }

    fn load_record(self, record: Self::Record) -> Self {
        self.load_record(record)
    }

    fn try_load_record(self, record: Self::Record, module: &M) -> Result<Self, RecordError> {
        record::check(&record.states, &collect::shapes(module)).map(|()| self.load_record(record))
    }
}
