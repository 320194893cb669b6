//! Learning-rate schedulers.
//!
//! A learning rate that is a formula of the number of steps is a [`Schedule`]; its config returns an
//! [`LrScheduler`] from `init()`. A plain `f64` is a scheduler too, of a constant learning rate.

mod composed;
mod constant;
mod cosine;
mod exponential;
mod linear;
mod multi_step;
mod noam;
mod one_cycle;
mod schedule;
mod scheduler;
mod sequential;
mod step;

pub use composed::{ComposedLrScheduler, ComposedLrSchedulerConfig, LrReduction};
pub use constant::{ConstantLr, ConstantLrConfig};
pub use cosine::{CosineAnnealingLrScheduler, CosineAnnealingLrSchedulerConfig};
pub use exponential::{ExponentialLrScheduler, ExponentialLrSchedulerConfig};
pub use linear::{LinearLrScheduler, LinearLrSchedulerConfig};
pub use multi_step::{MultiStepLrScheduler, MultiStepLrSchedulerConfig};
pub use noam::{NoamLrScheduler, NoamLrSchedulerConfig};
pub use one_cycle::{OneCycleLrScheduler, OneCycleLrSchedulerConfig};
pub use schedule::{AnyScheduleConfig, Schedule, ScheduledLr};
pub use scheduler::LrScheduler;
pub use sequential::{SequentialLrScheduler, SequentialLrSchedulerConfig};
pub use step::{StepLrScheduler, StepLrSchedulerConfig};

#[cfg(test)]
mod close;
#[cfg(test)]
mod refused;
