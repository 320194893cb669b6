//! Devices that are opened, and their memory.

use crate::driver::Context;
use crate::{CudaDevice, CudaError, runtime};
use burn_cubecl::{MemoryUsage, error_text};

impl CudaDevice {
    /// Opens the device. The first tensor on a missing device panics with the same message.
    ///
    /// # Errors
    /// When there is no driver, no device of this number, or one that is too old.
    pub fn open(self) -> Result<(), CudaError> {
        Context::open(self).map(|_| ())
    }

    /// Returns the memory of this device used by tensors and reserved for later ones. Calls queued by
    /// `Fusion` have allocated nothing yet: `Backend::sync` runs them.
    ///
    /// ```no_run
    /// # use burn_cuda::CudaDevice;
    /// let memory = CudaDevice::default().memory_usage()?;
    /// println!("{} bytes in {} buffers, {} reserved", memory.used, memory.buffers, memory.reserved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the device does not exist, or is lost.
    pub fn memory_usage(self) -> Result<MemoryUsage, CudaError> {
        self.open()?;
        let usage = runtime::engine(self).memory_usage();
        usage
            .map(MemoryUsage::from)
            .map_err(|error| CudaError::Failed { device: self, cause: error_text(&error) })
    }

    /// Releases the memory reserved for later tensors to the system.
    ///
    /// # Errors
    /// When the device is not there.
    pub fn memory_cleanup(self) -> Result<(), CudaError> {
        self.open()?;
        runtime::engine(self).memory_cleanup();
        Ok(())
    }
}
