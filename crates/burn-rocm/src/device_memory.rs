//! Memory of devices.

use crate::{RocmDevice, RocmError, runtime};
use burn_cubecl::{MemoryUsage, error_text};

impl RocmDevice {
    /// Returns the memory of this device used by tensors and reserved for later ones, on the stream of the
    /// calling thread.
    ///
    /// # Errors
    /// When the device does not exist, or is lost.
    pub fn memory_usage(self) -> Result<MemoryUsage, RocmError> {
        self.open()?;
        let usage = runtime::engine(self).memory_usage();
        usage
            .map(MemoryUsage::from)
            .map_err(|error| RocmError::Failed { device: self, cause: error_text(&error) })
    }

    /// Releases the memory reserved for later tensors to the system, on the stream of the calling thread.
    ///
    /// # Errors
    /// When the device is not there.
    pub fn memory_cleanup(self) -> Result<(), RocmError> {
        self.open()?;
        runtime::engine(self).memory_cleanup();
        Ok(())
    }
}
