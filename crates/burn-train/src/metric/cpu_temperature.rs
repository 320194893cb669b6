use super::sensor::Sensor;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric};
use sysinfo::{Component, Components};

/// Temperature of the processor, the hottest of its sensors, in degrees Celsius.
///
/// It is read at most once a second. Where there is no such sensor the metric is left out of the run.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = CpuTemperatureMetric::new();
/// if metric.is_available() {
///     println!("{}", metric.update(&(), &MetricMetadata::default()).formatted);
/// }
/// ```
#[derive(Debug)]
pub struct CpuTemperatureMetric {
    sensor: Sensor,
    components: Option<Components>,
}

impl CpuTemperatureMetric {
    /// Looks for the sensor.
    pub fn new() -> Self {
        Self { sensor: Sensor::new(), components: Components::new_with_refreshed_list().ok() }
    }
}

impl Default for CpuTemperatureMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for CpuTemperatureMetric {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        let format = FormatOptions::new("CPU Temperature").unit("°C").precision(1);
        self.sensor.update(&format, || {
            let components = self.components.as_mut()?;
            components.refresh(false);
            hottest(components)
        })
    }

    fn name(&self) -> Option<String> {
        Some("CPU Temperature".to_string())
    }

    fn clear(&mut self) {}

    fn is_available(&self) -> bool {
        self.components.as_ref().is_some_and(|components| hottest(components).is_some())
    }
}

impl Numeric for CpuTemperatureMetric {
    fn value(&self) -> f64 {
        self.sensor.value()
    }
}

/// Returns whether a sensor is one of the processor, by the names that drivers of processors give them.
fn is_processor(component: &Component) -> bool {
    let label = component.label().to_lowercase();
    ["cpu", "core", "package", "tctl", "tdie", "soc", "k10temp"].iter().any(|name| label.contains(name))
}

fn hottest(components: &Components) -> Option<f64> {
    let processors = components.iter().filter(|component| is_processor(component));
    let temperatures = processors.filter_map(Component::temperature).map(f64::from);
    temperatures.filter(|temperature| temperature.is_finite()).reduce(f64::max)
}
