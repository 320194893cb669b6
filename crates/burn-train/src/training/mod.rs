//! The training loop.
//!
//! [`training_loop`] says what happens when, and knows no types: it asks a
//! [`Workload`](workload::Workload). The learner is the workload of a model, an optimizer and a
//! scheduler ([`fitting`]), and does nothing else, so that a program compiles little of its own.

mod builder;
mod fitting;
mod learner;
mod metric_slot;
mod nan;
mod options;
mod run_seed;
mod side;
mod step;
mod training_loop;
mod tree_file;
mod workload;

pub use builder::LearnerBuilder;
pub use learner::Learner;
pub use step::{TrainOutput, TrainStep, ValidStep};
