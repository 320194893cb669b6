//! The training loop.
//!
//! [`training_loop`] says what happens when, and knows no types: it asks a
//! [`Workload`](workload::Workload). The learner is the workload of a model, an optimizer and a
//! scheduler ([`fitting`]), and does nothing else, so that a program compiles little of its own.
//! Options that need the types of a program are objects ([`average`]), and cost a program without them
//! nothing.

mod average;
mod batch_progress;
mod builder;
mod checkpoint_parts;
#[cfg(feature = "collective")]
mod data_parallel;
mod fitting;
mod gradient_steps;
mod learner;
mod loss_scale;
mod lr_finder;
mod metric_slot;
mod nan;
mod nan_policy;
mod options;
mod phase;
mod rank_batches;
mod rank_group;
mod rank_metrics;
mod required_metrics;
mod run_seed;
mod step;
mod step_hook;
mod to_device;
mod training_loop;
mod tree_file;
mod watchers;
mod workload;

pub use builder::LearnerBuilder;
pub use learner::Learner;
pub use lr_finder::{LrFinderConfig, LrFinderReport};
pub(crate) use metric_slot::{GenericSlot, MetricSlot, NumericSlot};
pub use nan_policy::NanPolicy;
pub(crate) use phase::Phase;
pub use step::{TrainOutput, TrainStep, ValidStep};
pub use to_device::ToDevice;
pub(crate) use workload::Position;
