use super::edit_distance::EditRate;
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

impl Metric for WerMetric {
    type Input = TextInput;

    fn update(&mut self, input: &TextInput, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("Word Error Rate".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Lowest)
    }

    fn clear(&mut self) {
        self.rate.clear();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl CountedMetric<TextInput> for WerMetric {
    fn count(&self, input: &TextInput) -> Vec<f64> {
        EditRate::count(input, |text| text.split_whitespace().collect())
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        self.rate.add(parts, "Word Error Rate")
    }
}

impl Numeric for WerMetric {
    fn value(&self) -> f64 {
        self.rate.value()
    }
}
