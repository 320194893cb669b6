use super::sensor::Sensor;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric};
use sysinfo::System;

/// Share of the processor that is in use, over all cores, in percent.
///
/// It is read at most once a second. Where there is no such sensor the metric is left out of the run.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = CpuUsageMetric::new();
/// if metric.is_available() {
///     println!("{}", metric.update(&(), &MetricMetadata::default()).formatted);
/// }
/// ```
#[derive(Debug)]
pub struct CpuUsageMetric {
    sensor: Sensor,
    system: Option<System>,
}

impl CpuUsageMetric {
    /// Looks for the sensor.
    pub fn new() -> Self {
        Self { sensor: Sensor::new(), system: with_usage() }
    }
}

impl Default for CpuUsageMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for CpuUsageMetric {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        let format = FormatOptions::new("CPU Usage").unit("%").precision(1);
        self.sensor.update(&format, || {
            let system = self.system.as_mut()?;
            system.refresh_cpu_usage();
            Some(f64::from(system.global_cpu_usage()))
        })
    }

    fn name(&self) -> Option<String> {
        Some("CPU Usage".to_string())
    }

    fn clear(&mut self) {}

    fn is_available(&self) -> bool {
        self.system.as_ref().is_some_and(|system| !system.cpus().is_empty())
    }
}

impl Numeric for CpuUsageMetric {
    fn value(&self) -> f64 {
        self.sensor.value()
    }
}

/// Usage is the work between two looks at the processor: this is the first.
fn with_usage() -> Option<System> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_usage();
    Some(system)
}
