use super::edit_distance::{EditRate, edit_rate_metric};
use super::{CountedMetric, Metric, MetricEntry, MetricMetadata, Numeric, TextInput};
use crate::history::Direction;

/// Character Error Rate: insertions, deletions and substitutions of characters that make the references of
/// the predictions, by the number of characters of the references, in percent.
///
/// The counts are those of the whole epoch. It may be above 100 %. torchmetrics:
/// `torchmetrics.text.CharErrorRate`.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = CerMetric::new();
/// let entry = metric.update(&TextInput::new(["kitten"], ["sitting"]), &MetricMetadata::default());
/// assert_eq!(entry.formatted, "42.86 %");
/// ```
#[derive(Clone, Debug, Default)]
pub struct CerMetric {
    rate: EditRate,
}

impl CerMetric {
    /// Starts without a text.
    pub fn new() -> Self {
        Self::default()
    }
}

edit_rate_metric!(CerMetric, "Character Error Rate", |text| text.chars().collect());
