/// Part of a checkpoint, beside its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The parameters.
    Model,
    /// The state of the optimizer.
    Optim,
    /// The state of the learning-rate scheduler.
    Scheduler,
    /// The averages of the parameters, of a run that has them.
    Average,
    /// The state of the loss scale, of a run in mixed precision.
    GradScaler,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 5] = [Self::Model, Self::Optim, Self::Scheduler, Self::Average, Self::GradScaler];

    /// Returns the name of its file without extension: `model-3`.
    pub fn stem(self, epoch: usize) -> String {
        format!("{}-{epoch}", self.name())
    }

    /// Returns the name of its file without epoch: `model`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Optim => "optim",
            Self::Scheduler => "scheduler",
            Self::Average => "average",
            Self::GradScaler => "grad-scaler",
        }
    }
}
