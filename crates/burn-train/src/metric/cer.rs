use super::edit_distance::EditRate;
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

impl Metric for CerMetric {
    type Input = TextInput;

    fn update(&mut self, input: &TextInput, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("Character Error Rate".to_string())
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

impl CountedMetric<TextInput> for CerMetric {
    fn count(&self, input: &TextInput) -> Vec<f64> {
        EditRate::count(input, |text| text.chars().collect())
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        self.rate.add(parts, "Character Error Rate")
    }
}

impl Numeric for CerMetric {
    fn value(&self) -> f64 {
        self.rate.value()
    }
}
