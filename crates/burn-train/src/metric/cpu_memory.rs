use super::sensor::Sensor;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric};
use sysinfo::System;

/// Share of the memory of the machine that is in use, in percent.
///
/// It is read at most once a second. Where there is no such sensor the metric is left out of the run.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = CpuMemoryMetric::new();
/// if metric.is_available() {
///     println!("{}", metric.update(&(), &MetricMetadata::default()).formatted);
/// }
/// ```
#[derive(Debug)]
pub struct CpuMemoryMetric {
    sensor: Sensor,
    system: Option<System>,
}

impl CpuMemoryMetric {
    /// Looks for the sensor.
    pub fn new() -> Self {
        Self { sensor: Sensor::new(), system: with_memory() }
    }
}

impl Default for CpuMemoryMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for CpuMemoryMetric {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        let format = FormatOptions::new("CPU Memory").unit("%").precision(1);
        self.sensor.update(&format, || {
            let system = self.system.as_mut()?;
            system.refresh_memory();
            Some(used(system))
        })
    }

    fn name(&self) -> Option<String> {
        Some("CPU Memory".to_string())
    }

    fn clear(&mut self) {}

    fn is_available(&self) -> bool {
        self.system.as_ref().is_some_and(|system| system.total_memory() > 0)
    }
}

impl Numeric for CpuMemoryMetric {
    fn value(&self) -> f64 {
        self.sensor.value()
    }
}

fn with_memory() -> Option<System> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    Some(system)
}

fn used(system: &System) -> f64 {
    100.0 * system.used_memory() as f64 / system.total_memory() as f64
}
