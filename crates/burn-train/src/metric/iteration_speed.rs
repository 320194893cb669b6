use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry};
use std::time::{Duration, Instant};

/// The number of batches per second since the epoch began.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = IterationSpeedMetric::new();
/// metric.update(&(), &MetricMetadata::default());
/// assert!(metric.value() > 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct IterationSpeedMetric {
    started: Instant,
    batches: usize,
    value: f64,
}

impl IterationSpeedMetric {
    /// Starts the clock.
    pub fn new() -> Self {
        Self { started: Instant::now(), batches: 0, value: f64::NAN }
    }

    fn update_after(&mut self, elapsed: Duration) -> MetricEntry {
        self.batches += 1;
        self.value = self.batches as f64 / elapsed.as_secs_f64().max(1e-9);
        let format = FormatOptions::new("Iteration Speed").unit("iterations/s").precision(2);
        let serialized = NumericEntry { value: self.value, count: 1 }.to_string();
        MetricEntry::new(format.name(), format.format(self.value), serialized)
    }
}

impl Default for IterationSpeedMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for IterationSpeedMetric {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        self.update_after(self.started.elapsed())
    }

    fn name(&self) -> Option<String> {
        Some("Iteration Speed".to_string())
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

impl Numeric for IterationSpeedMetric {
    fn value(&self) -> f64 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_batches_by_seconds() {
        let mut metric = IterationSpeedMetric::new();
        metric.update_after(Duration::from_secs(1));
        let entry = metric.update_after(Duration::from_secs(4));
        assert_eq!((entry.formatted.as_str(), metric.value()), ("0.50 iterations/s", 0.5));
    }
}
