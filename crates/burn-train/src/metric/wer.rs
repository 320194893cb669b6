use super::edit_distance::{EditRate, edit_rate_metric};
use super::{CountedMetric, Metric, MetricEntry, MetricMetadata, Numeric, TextInput};
use crate::history::Direction;

/// Word Error Rate: insertions, deletions and substitutions of words that make the references of the
/// predictions, by the number of words of the references, in percent.
///
/// The counts are those of the whole epoch. It may be above 100 %. torchmetrics:
/// `torchmetrics.text.WordErrorRate`.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = WerMetric::new();
/// let entry = metric.update(&TextInput::new(["the cat sat"], ["the black cat sat"]), &MetricMetadata::default());
/// assert_eq!(entry.formatted, "25.00 %");
/// ```
#[derive(Clone, Debug, Default)]
pub struct WerMetric {
    rate: EditRate,
}

impl WerMetric {
    /// Starts without a text.
    pub fn new() -> Self {
        Self::default()
    }
}

edit_rate_metric!(WerMetric, "Word Error Rate", |text| text.split_whitespace().collect());
