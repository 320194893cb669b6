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
