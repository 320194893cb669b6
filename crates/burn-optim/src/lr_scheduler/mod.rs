//! Learning-rate schedulers.
//!
//! A learning rate that is a formula of the number of steps is a [`Schedule`]; its config returns an
//! [`LrScheduler`] from `init()`. [`ReduceOnPlateauLrScheduler`] follows a metric instead. A plain `f64` is a
//! scheduler too, of a constant learning rate.

mod annealing;
mod any_schedule;
mod composed;
mod constant;
mod cosine;
mod cyclic;
mod exponential;
mod linear;
mod multi_step;
mod noam;
mod one_cycle;
mod polynomial;
mod reduce_on_plateau;
mod schedule;
mod scheduler;
mod sequential;
mod step;
mod swa;

pub use annealing::AnnealStrategy;
pub use any_schedule::AnyScheduleConfig;
pub use composed::{ComposedLrScheduler, ComposedLrSchedulerConfig, LrReduction};
pub use constant::{ConstantLr, ConstantLrConfig};
pub use cosine::{CosineAnnealingLrScheduler, CosineAnnealingLrSchedulerConfig};
pub use cyclic::{CyclicLrScheduler, CyclicLrSchedulerConfig, CyclicMode};
pub use exponential::{ExponentialLrScheduler, ExponentialLrSchedulerConfig};
pub use linear::{LinearLrScheduler, LinearLrSchedulerConfig};
pub use multi_step::{MultiStepLrScheduler, MultiStepLrSchedulerConfig};
pub use noam::{NoamLrScheduler, NoamLrSchedulerConfig};
pub use one_cycle::{OneCycleLrScheduler, OneCycleLrSchedulerConfig};
pub use polynomial::{PolynomialLrScheduler, PolynomialLrSchedulerConfig};
pub use reduce_on_plateau::{
    PlateauMode, PlateauThreshold, ReduceOnPlateauLrScheduler, ReduceOnPlateauLrSchedulerConfig,
    ReduceOnPlateauLrSchedulerRecord,
};
pub use schedule::{Schedule, ScheduledLr};
pub use scheduler::LrScheduler;
pub use sequential::{SequentialLrScheduler, SequentialLrSchedulerConfig};
pub use step::{StepLrScheduler, StepLrSchedulerConfig};
pub use swa::{SwaLrScheduler, SwaLrSchedulerConfig};

#[cfg(test)]
mod close;
#[cfg(test)]
mod refused;
