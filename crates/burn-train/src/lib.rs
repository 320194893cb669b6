//! The training loop: metrics, logs, checkpoints that survive a kill, and a dashboard.

pub mod checkpoint;
mod error;
pub mod history;
pub mod logger;
pub mod metric;
mod output;
pub mod renderer;
mod split;
mod training;

pub use error::TrainError;
pub use output::{ClassificationOutput, RegressionOutput};
pub use split::Split;
pub use training::{Learner, LearnerBuilder, TrainOutput, TrainStep, ValidStep};
