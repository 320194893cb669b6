use super::nvml_device::NvmlDevice;
use super::sensor::Sensor;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric};

/// Usage and memory of an NVIDIA GPU; its value is the share of time in which a kernel ran, in percent.
///
/// It is read at most once a second. Without NVIDIA's driver the metric is left out of the run.
///
/// ```
/// use burn::train::metric::*;
///
/// let mut metric = CudaMetric::new();
/// if metric.is_available() {
///     println!("{}", metric.update(&(), &MetricMetadata::default()).formatted); // 87.0 % of GPU 0, 12.5 of 80.0 GiB
/// }
/// ```
#[derive(Debug)]
pub struct CudaMetric {
    sensor: Sensor,
    index: u32,
    device: Option<NvmlDevice>,
}

impl CudaMetric {
    /// Looks at the first GPU.
    pub fn new() -> Self {
        Self::of_device(0)
    }

    /// Looks at the GPU with this number, from 0.
    pub fn of_device(index: u32) -> Self {
        Self { sensor: Sensor::new(), index, device: NvmlDevice::open(index) }
    }
}

impl Default for CudaMetric {
    fn default() -> Self {
        Self::new()
    }
}

impl Metric for CudaMetric {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        let format = FormatOptions::new("CUDA").unit(format!("% of GPU {}", self.index)).precision(1);
        let mut entry = self.sensor.update(&format, || self.device.as_ref().and_then(NvmlDevice::usage));
        if let Some((used, total)) = self.device.as_ref().and_then(NvmlDevice::memory) {
            let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
            entry.formatted += &format!(", {:.1} of {:.1} GiB", gib(used), gib(total));
        }
        entry
    }

    fn name(&self) -> Option<String> {
        Some("CUDA".to_string())
    }

    fn clear(&mut self) {}

    fn is_available(&self) -> bool {
        self.device.as_ref().is_some_and(|device| device.usage().is_some())
    }
}

impl Numeric for CudaMetric {
    fn value(&self) -> f64 {
        self.sensor.value()
    }
}
