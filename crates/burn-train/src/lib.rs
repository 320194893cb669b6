//! The training loop: metrics, logs, checkpoints that survive a kill, and a dashboard.
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

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
