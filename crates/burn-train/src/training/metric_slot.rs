use crate::history::Direction;
use crate::metric::{Adaptor, CountedMetric, Metric, MetricEntry, MetricMetadata, Numeric};
use crate::renderer::MetricState;

/// A metric of a learner whose steps give `T`.
pub(crate) trait MetricSlot<T>: Send {
    fn update(&mut self, output: &T, metadata: &MetricMetadata) -> MetricState;
    /// Returns the counts of a batch, of a metric whose value is no mean over items.
    fn count(&mut self, output: &T) -> Option<Vec<f64>>;
    /// Adds the next counts, those of all ranks, if this is such a metric.
    fn add(&mut self, counts: &mut dyn Iterator<Item = Vec<Vec<f64>>>) -> Option<MetricState>;
    fn clear(&mut self);
    fn describe(&self) -> MetricDescription;
}

/// Description of a metric before the first batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetricDescription {
    pub(crate) name: Option<String>,
    pub(crate) is_numeric: bool,
    pub(crate) direction: Option<Direction>,
}

impl MetricDescription {
    fn of<M: Metric>(metric: &M, is_numeric: bool) -> Self {
        Self { name: metric.name(), is_numeric, direction: metric.direction() }
    }
}

/// A metric that is reported as text.
pub(crate) struct GenericSlot<M>(pub(crate) M);

/// A metric that is a number.
pub(crate) struct NumericSlot<M>(pub(crate) M);

fn add_next<I>(
    metric: &mut dyn CountedMetric<I>,
    counts: &mut dyn Iterator<Item = Vec<Vec<f64>>>,
) -> Option<MetricEntry> {
    counts.next().map(|parts| metric.add(&parts))
}

impl<T: Adaptor<M::Input>, M: Metric> MetricSlot<T> for GenericSlot<M> {
    fn update(&mut self, output: &T, metadata: &MetricMetadata) -> MetricState {
        MetricState::Generic(self.0.update(&output.adapt(), metadata))
    }

    fn count(&mut self, output: &T) -> Option<Vec<f64>> {
        self.0.as_counted().map(|metric| metric.count(&output.adapt()))
    }

    fn add(&mut self, counts: &mut dyn Iterator<Item = Vec<Vec<f64>>>) -> Option<MetricState> {
        add_next(self.0.as_counted()?, counts).map(MetricState::Generic)
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn describe(&self) -> MetricDescription {
        MetricDescription::of(&self.0, false)
    }
}

impl<T: Adaptor<M::Input>, M: Metric + Numeric> MetricSlot<T> for NumericSlot<M> {
    fn update(&mut self, output: &T, metadata: &MetricMetadata) -> MetricState {
        let entry = self.0.update(&output.adapt(), metadata);
        MetricState::Numeric(entry, self.0.value())
    }

    fn count(&mut self, output: &T) -> Option<Vec<f64>> {
        self.0.as_counted().map(|metric| metric.count(&output.adapt()))
    }

    fn add(&mut self, counts: &mut dyn Iterator<Item = Vec<Vec<f64>>>) -> Option<MetricState> {
        let entry = add_next(self.0.as_counted()?, counts)?;
        Some(MetricState::Numeric(entry, self.0.value()))
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn describe(&self) -> MetricDescription {
        MetricDescription::of(&self.0, true)
    }
}
