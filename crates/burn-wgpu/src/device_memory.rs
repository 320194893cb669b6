//! Memory of devices.

use crate::{DeviceError, WgpuDevice, runtime};
use burn_cubecl::{MemoryUsage, error_text};

impl WgpuDevice {
    /// Returns the memory of this device used by tensors of all threads and reserved for later ones. Calls
    /// queued by `Fusion` have allocated nothing yet: `Backend::sync` runs them.
    ///
    /// ```no_run
    /// # use burn_wgpu::WgpuDevice;
    /// let memory = WgpuDevice::default().memory_usage()?;
    /// println!("{} bytes in {} buffers, {} reserved", memory.used, memory.buffers, memory.reserved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the device does not exist, or is lost.
    pub fn memory_usage(self) -> Result<MemoryUsage, DeviceError> {
        self.open()?;
        let usage = runtime::engine(self).memory_usage();
        usage
            .map(MemoryUsage::from)
            .map_err(|error| DeviceError::Failed { device: self, cause: error_text(&error) })
    }

    /// Gives back to the system what is kept for later tensors.
    ///
    /// # Errors
    /// When the device is not there.
    pub fn memory_cleanup(self) -> Result<(), DeviceError> {
        self.open()?;
        runtime::engine(self).memory_cleanup();
        Ok(())
    }
}
