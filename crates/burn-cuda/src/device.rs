use crate::driver::Context;
use crate::{CudaError, runtime};
use burn_cubecl::{MemoryUsage, error_text};
use cubecl::device::{Device, DeviceId};
use std::fmt;

/// Device of [`Cuda`](crate::Cuda) tensors: the number of the GPU, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CudaDevice {
    pub index: usize,
}

impl CudaDevice {
    pub fn new(index: usize) -> Self {
        CudaDevice { index }
    }

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

impl fmt::Display for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cuda({})", self.index)
    }
}

impl Device for CudaDevice {
    fn from_id(id: DeviceId) -> Self {
        CudaDevice { index: id.index_id.into() }
    }

    fn to_id(&self) -> DeviceId {
        DeviceId { type_id: 0, index_id: self.index as u16 }
    }
}
