//! Callbacks at the start and end of runs and epochs, and after every batch.
//!
//! [`JsonLines`], [`TensorBoard`] and [`HtmlReport`] write what a run does; a program adds callbacks of its
//! own in the same way. [`compare_runs`] writes a page about several runs.

mod any;
mod json_lines;
mod report;
mod run_info;
mod tensorboard;

pub use any::{BatchEnd, CallbackResult, EpochInfo, TrainingCallback};
pub use json_lines::JsonLines;
pub(crate) use report::add_test_results;
pub use report::{HtmlReport, compare_runs};
pub use run_info::{MetricInfo, RunInfo};
pub use tensorboard::TensorBoard;
