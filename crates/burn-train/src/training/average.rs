use burn_core::module::AutodiffModule;
use burn_core::record::{IntoNode, KeyPath, Node, Record, RecordError};
use burn_core::tensor::AutodiffBackend;
use burn_optim::{ModuleAverage, ModuleAverageRecord};
use std::marker::PhantomData;

/// The moving average of the parameters of a model `M`. It is an object, so that a program without one
/// compiles none of it.
pub(super) trait ParameterAverage<M>: Send {
    /// Adds the parameters after a step.
    fn update(&mut self, model: &M);
    /// Returns the model with the averaged parameters.
    fn average(&self, model: M) -> M;
    /// Returns the state.
    fn tree(&self) -> Node;
    /// Puts the state in.
    fn load(&mut self, tree: Node, model: &M) -> Result<(), RecordError>;
}

/// The average on the backend `B`.
pub(super) struct OnBackend<B> {
    pub(super) average: ModuleAverage,
    pub(super) backend: PhantomData<fn(B)>,
}

impl<B: AutodiffBackend, M: AutodiffModule<B>> ParameterAverage<M> for OnBackend<B> {
    fn update(&mut self, model: &M) {
        self.average.update::<B, M>(model);
    }

    fn average(&self, model: M) -> M {
        self.average.average::<B, M>(model)
    }

    fn tree(&self) -> Node {
        self.average.to_record().into_node()
    }

    fn load(&mut self, tree: Node, model: &M) -> Result<(), RecordError> {
        let device = model.devices().into_iter().next().unwrap_or_default();
        let record = <ModuleAverageRecord as Record<B>>::from_node(tree, &KeyPath::ROOT, &device)?;
        self.average = self.average.clone().try_load_record::<B, M>(record, model)?;
        Ok(())
    }
}
