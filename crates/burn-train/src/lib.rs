//! The training loop: metrics, logs, checkpoints that survive a kill, and a dashboard.

mod artifacts;
mod axis;
pub mod callback;
pub mod checkpoint;
mod early_stopping;
mod error;
mod evaluator;
pub mod history;
pub mod logger;
pub mod metric;
mod output;
pub mod renderer;
mod split;
mod training;

pub use early_stopping::{EarlyStopping, EarlyStoppingStrategy};
pub use error::TrainError;
pub use evaluator::{EvaluationSummary, Evaluator, EvaluatorBuilder};
pub use output::{ClassificationOutput, MultiLabelOutput, RegressionOutput};
pub use split::Split;
pub use training::{
    Learner, LearnerBuilder, LrFinderConfig, LrFinderReport, NanPolicy, ToDevice, TrainOutput, TrainStep,
    ValidStep,
};
