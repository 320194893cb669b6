use crate::Split;
use crate::history::{Direction, MetricHistory, TrackedMetric};
use crate::renderer::Interrupter;
use std::path::Path;

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct RunInfo<'a> {
    /// Name of the model's type.
    pub model: &'a str,
    /// Number of parameters.
    pub parameters: usize,
    /// Number of epochs that the run is to make, those before a resumed checkpoint included.
    pub epochs: usize,
    /// Number of training batches so far, those before a resumed checkpoint included.
    pub step: u64,
    /// Artifact folder.
    pub artifacts: &'a Path,
    /// The device that the model is on, with the name of its backend.
    pub device: &'a str,
    /// The metric by which early stopping compares epochs.
    pub tracked: Option<&'a TrackedMetric>,
    /// The numeric metrics whose names are known before the first batch.
    pub metrics: &'a [MetricInfo],
    /// Metrics of all epochs so far.
    pub history: &'a MetricHistory,
    /// Stops the run.
    pub interrupter: &'a Interrupter,
}

/// A numeric metric of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// Phase of the metric.
    pub split: Split,
    /// Name of the metric.
    pub name: String,
    /// Which values are better, if any are.
    pub direction: Option<Direction>,
}
