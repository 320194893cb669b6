use super::{CountedMetric, MetricEntry, MetricMetadata};
use crate::history::Direction;

/// Something that is measured batch by batch and summed up over an epoch.
///
/// A metric lives as long as the run; [`clear`](Metric::clear) is called before every epoch. The
/// training and the validation phase have a metric each. What it measures comes from the output of a
/// step by an [`Adaptor`](super::Adaptor).
///
/// ```
/// use burn::train::metric::*;
///
/// /// The length of the longest sentence of a batch.
/// #[derive(Default)]
/// struct LongestMetric {
///     state: NumericMetricState,
/// }
///
/// impl Metric for LongestMetric {
///     type Input = Vec<String>;
///
///     fn update(&mut self, sentences: &Vec<String>, _metadata: &MetricMetadata) -> MetricEntry {
///         let longest = sentences.iter().map(String::len).max().unwrap_or(0);
///         self.state.update(longest as f64, 1, FormatOptions::new("Longest").precision(1))
///     }
///
///     fn clear(&mut self) {
///         self.state.reset();
///     }
/// }
///
/// impl Numeric for LongestMetric {
///     fn value(&self) -> f64 {
///         self.state.value()
///     }
/// }
///
/// let mut metric = LongestMetric::default();
/// metric.update(&vec!["one".into(), "three".into()], &MetricMetadata::default());
/// let entry = metric.update(&vec!["six".into()], &MetricMetadata::default());
/// assert_eq!(entry.formatted, "4.0");
/// ```
pub trait Metric: Send {
    /// Input of the metric; `()` for one that looks at the metadata or a clock alone.
    type Input;

    /// Takes in one batch, and returns the value so far.
    fn update(&mut self, item: &Self::Input, metadata: &MetricMetadata) -> MetricEntry;

    /// Forgets all batches.
    fn clear(&mut self);

    /// Returns the name of its entries, where it is known before the first batch. Early stopping, checkpoint
    /// strategies and schedulers that ask for a metric are checked against the names at the start of a run;
    /// by default, after the first batch.
    fn name(&self) -> Option<String> {
        None
    }

    /// Returns which values are better, of a metric that training improves: its best epoch is shown.
    fn direction(&self) -> Option<Direction> {
        None
    }

    /// Returns the metric where its value is not a mean over items: on several ranks its counts are added up.
    /// Values of other metrics are averaged over ranks, weighted by what they count.
    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        None
    }

    /// Returns whether there is something to measure. A metric whose sensor is absent is left out of the run:
    /// it has no line, no curve and no log.
    fn is_available(&self) -> bool {
        true
    }
}

/// A metric that is a number, and can be plotted and compared.
pub trait Numeric {
    /// Returns the value over all batches since the metric was cleared.
    fn value(&self) -> f64;
}
