use super::{FormatOptions, MetricEntry, NumericEntry};
use std::time::{Duration, Instant};

/// A reading of a sensor that is taken at most once a second: reading may take longer than a batch.
#[derive(Debug)]
pub(super) struct Sensor {
    value: f64,
    read: Option<Instant>,
}

/// The least time between two readings.
const INTERVAL: Duration = Duration::from_secs(1);

impl Sensor {
    pub(super) fn new() -> Self {
        Self { value: f64::NAN, read: None }
    }

    /// Takes a reading where one is due; one that fails leaves the last one.
    pub(super) fn update(
        &mut self,
        format: &FormatOptions,
        read: impl FnOnce() -> Option<f64>,
    ) -> MetricEntry {
        if self.read.is_none_or(|read| read.elapsed() >= INTERVAL) {
            self.value = read().unwrap_or(self.value);
            self.read = Some(Instant::now());
        }
        // Without a reading there is nothing to count, and no NaN that would end the run.
        let count = usize::from(!self.value.is_nan());
        MetricEntry::numeric(format, self.value, NumericEntry { value: self.value, count })
    }

    pub(super) fn value(&self) -> f64 {
        self.value
    }
}
