//! Callbacks at the start and end of runs and epochs, and after every batch.
//!
//! [`JsonLines`], [`TensorBoard`] and [`HtmlReport`] write what a run does; a program adds callbacks of its
//! own in the same way. [`compare_runs`] writes a page about several runs.

mod any;
mod json_lines;
mod report;
mod tensorboard;

pub use any::{BatchEnd, CallbackResult, EpochInfo, MetricInfo, RunInfo, TrainingCallback};
pub use json_lines::JsonLines;
pub(crate) use report::add_test_results;
pub use report::{HtmlReport, compare_runs};
pub use tensorboard::TensorBoard;
