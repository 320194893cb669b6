use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState};

/// The learning rate of the last step of the optimizer. For the training phase.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = LearningRateMetric::new();
/// let metadata = MetricMetadata { lr: Some(1e-4), ..Default::default() };
/// let entry = metric.update(&(), &metadata);
/// assert_eq!((entry.formatted.as_str(), metric.value()), ("1.00e-4", 1e-4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct LearningRateMetric {
    last: NumericMetricState,
}

impl LearningRateMetric {
    /// Starts before the first step.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Metric for LearningRateMetric {
    type Input = ();

    fn update(&mut self, (): &(), metadata: &MetricMetadata) -> MetricEntry {
        self.last.reset();
        let count = usize::from(metadata.lr.is_some());
        let format = FormatOptions::new("Learning Rate").precision(2);
        self.last.update(metadata.lr.unwrap_or(f64::NAN), count, format)
    }

    fn name(&self) -> Option<String> {
        Some("Learning Rate".to_string())
    }

    fn clear(&mut self) {
        self.last.reset();
    }
}

impl Numeric for LearningRateMetric {
    fn value(&self) -> f64 {
        self.last.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rate_is_told_not_the_mean() {
        let mut metric = LearningRateMetric::new();
        for lr in [0.1, 0.01] {
            metric.update(&(), &MetricMetadata { lr: Some(lr), ..Default::default() });
        }
        assert_eq!(metric.value(), 0.01);
    }

    #[test]
    fn before_the_first_step_there_is_no_rate() {
        let entry = LearningRateMetric::new().update(&(), &MetricMetadata::default());
        assert_eq!(entry.serialized, "NaN,0");
    }
}
