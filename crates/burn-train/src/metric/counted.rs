//! Metrics of counts, which ranks add up.

use super::MetricEntry;

/// Metric whose value over several batches follows from counts that are added up: the mean of the values of
/// the batches would be another number.
///
/// On several ranks a batch has a part on each. The counts of all parts are gathered and added on every rank,
/// so the value is that of one process with all items. A metric returns itself from
/// [`Metric::as_counted`](super::Metric::as_counted). torchmetrics: states with a `dist_reduce_fx`.
///
/// ```
/// use burn::train::metric::*;
///
/// /// Share of sentences that are right, among those that were answered.
/// #[derive(Default)]
/// struct AnsweredMetric {
///     right: f64,
///     answered: f64,
/// }
///
/// impl CountedMetric<Vec<Option<bool>>> for AnsweredMetric {
///     fn count(&self, answers: &Vec<Option<bool>>) -> Vec<f64> {
///         let right = answers.iter().filter(|answer| **answer == Some(true)).count();
///         vec![right as f64, answers.iter().flatten().count() as f64]
///     }
///
///     fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
///         let [right, answered] = [0, 1].map(|at| parts.iter().map(|part| part[at]).sum::<f64>());
///         self.right += right;
///         self.answered += answered;
///         let batch = NumericEntry { value: right / answered, count: answered as usize };
///         MetricEntry::numeric(&FormatOptions::new("Right").precision(2), self.value(), batch)
///     }
/// }
///
/// impl Metric for AnsweredMetric {
///     type Input = Vec<Option<bool>>;
///
///     fn update(&mut self, answers: &Vec<Option<bool>>, _metadata: &MetricMetadata) -> MetricEntry {
///         let counts = self.count(answers);
///         self.add(&[counts])
///     }
///
///     fn clear(&mut self) {
///         *self = Self::default();
///     }
///
///     fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
///         Some(self)
///     }
/// }
///
/// impl Numeric for AnsweredMetric {
///     fn value(&self) -> f64 {
///         self.right / self.answered
///     }
/// }
///
/// let mut metric = AnsweredMetric::default();
/// let parts = [vec![Some(true), None, None], vec![Some(false), Some(true)]].map(|part| metric.count(&part));
/// let entry = metric.add(&parts);
/// assert_eq!(entry.formatted, "0.67");
/// ```
pub trait CountedMetric<I> {
    /// Returns the counts of a batch, without adding them.
    fn count(&self, item: &I) -> Vec<f64>;

    /// Adds a batch by the counts of its parts, in the order of ranks, and reports the value so far.
    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry;
}

/// Sums the first `N` numbers of all parts.
pub(super) fn sum_parts<const N: usize>(parts: &[Vec<f64>]) -> [f64; N] {
    let mut sums = [0.0; N];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, number)| *sum += number);
    }
    sums
}
