use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::TemperatureSensor;
use std::fmt;

/// A GPU that NVIDIA's management library knows.
pub(super) struct NvmlDevice {
    library: Nvml,
    index: u32,
}

impl NvmlDevice {
    /// Opens the library, which is there with NVIDIA's driver.
    pub(super) fn open(index: u32) -> Option<Self> {
        let library = match Nvml::init() {
            Ok(library) => library,
            Err(error) => {
                tracing::info!("GPUs are not watched: {error}");
                return None;
            }
        };
        let is_there = library.device_by_index(index).is_ok();
        is_there.then_some(Self { library, index })
    }

    pub(super) fn temperature(&self) -> Option<f64> {
        let device = self.library.device_by_index(self.index).ok()?;
        device.temperature(TemperatureSensor::Gpu).ok().map(f64::from)
    }

    /// Returns the share of time in which a kernel ran, in percent.
    pub(super) fn usage(&self) -> Option<f64> {
        let device = self.library.device_by_index(self.index).ok()?;
        device.utilization_rates().ok().map(|rates| f64::from(rates.gpu))
    }

    /// Returns the used and the whole memory, in bytes.
    pub(super) fn memory(&self) -> Option<(u64, u64)> {
        let device = self.library.device_by_index(self.index).ok()?;
        device.memory_info().ok().map(|memory| (memory.used, memory.total))
    }
}

impl fmt::Debug for NvmlDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NvmlDevice({})", self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{CudaMetric, GpuTemperatureMetric, Metric, MetricMetadata, Numeric};
    use std::process::Command;

    /// Temperature, used and whole memory in MiB, and usage in percent, as the driver's program prints them.
    fn by_nvidia_smi() -> [f64; 4] {
        let query = "--query-gpu=temperature.gpu,memory.used,memory.total,utilization.gpu";
        let output =
            Command::new("nvidia-smi").args([query, "--format=csv,noheader,nounits", "--id=0"]).output();
        let text =
            String::from_utf8(output.expect("it is there with the driver").stdout).expect("it is text");
        let numbers: Vec<f64> = text.trim().split(", ").map(|part| part.parse().expect("a number")).collect();
        numbers.try_into().expect("four numbers")
    }

    #[test]
    fn tr_025_metrics_of_an_nvidia_gpu_are_those_of_nvidia_smi() {
        let Some(device) = NvmlDevice::open(0) else {
            println!("left out: no NVIDIA GPU, so its metrics are not compared with nvidia-smi");
            return;
        };
        let [celsius, used, total, usage] = by_nvidia_smi();
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let memory =
            device.memory().map(|(used, total)| (mib(used), mib(total))).expect("the driver says so");
        assert!((memory.1 - total).abs() <= 0.01 * total, "{memory:?}, expected a total of {total}");
        // The driver may count what it keeps for itself as used.
        assert!((memory.0 - used).abs() <= 2048.0, "{memory:?}, expected {used} to be used");

        let (mut cuda, mut temperature) = (CudaMetric::new(), GpuTemperatureMetric::new());
        assert!(cuda.is_available() && temperature.is_available());
        let entry = cuda.update(&(), &MetricMetadata::default());
        temperature.update(&(), &MetricMetadata::default());
        assert!(entry.formatted.ends_with("GiB") && (0.0..=100.0).contains(&cuda.value()), "{entry:?}");
        let degrees = temperature.value();
        assert!((degrees - celsius).abs() <= 5.0, "{degrees} degrees, expected {celsius}");
        println!(
            "{}; {degrees} degrees; nvidia-smi: {usage} %, {used} of {total} MiB, {celsius}",
            entry.formatted
        );
    }
}
