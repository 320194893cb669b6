use super::nvml_device::NvmlDevice;
use super::sensor::Sensor;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric};

/// Temperature of an NVIDIA GPU, in degrees Celsius.
///
/// It is read at most once a second. Where there is no such sensor the metric is left out of the run.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = GpuTemperatureMetric::new();
/// if metric.is_available() {
///     println!("{}", metric.update(&(), &MetricMetadata::default()).formatted);
/// }
/// ```
#[derive(Debug)]
pub struct GpuTemperatureMetric {
    sensor: Sensor,
    device: Option<NvmlDevice>,
}

impl GpuTemperatureMetric {
    /// Looks for the sensor.
    pub fn new() -> Self {
        Self { sensor: Sensor::new(), device: NvmlDevice::open(0) }
    }

    /// Looks at the GPU with this number, from 0.
    pub fn of_device(index: u32) -> Self {
        Self { sensor: Sensor::new(), device: NvmlDevice::open(index) }
    }
}

impl Default for GpuTemperatureMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for GpuTemperatureMetric {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        let format = FormatOptions::new("GPU Temperature").unit("°C").precision(1);
        self.sensor.update(&format, || self.device.as_ref().and_then(NvmlDevice::temperature))
    }

    fn name(&self) -> Option<String> {
        Some("GPU Temperature".to_string())
    }

    fn clear(&mut self) {}

    fn is_available(&self) -> bool {
        self.device.as_ref().is_some_and(|device| device.temperature().is_some())
    }
}

impl Numeric for GpuTemperatureMetric {
    fn value(&self) -> f64 {
        self.sensor.value()
    }
}
