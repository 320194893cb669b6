use super::average::ParameterAverage;

/// The recordable parts of a run: they make a checkpoint.
pub(super) struct CheckpointParts<M, O, S> {
    pub(super) model: M,
    pub(super) optim: O,
    pub(super) scheduler: S,
    pub(super) average: Option<Box<dyn ParameterAverage<M>>>,
    /// The model of the best epoch before the run, where the run returns it.
    pub(super) best: Option<M>,
}
