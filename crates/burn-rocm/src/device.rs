use crate::{RocmError, RocmRuntime, runtime};
use burn_cubecl::{MemoryUsage, catch_panic, error_text};
use cubecl::device::{Device, DeviceId};
use cubecl::prelude::Runtime;
use cubecl_hip_sys::{HIP_SUCCESS, hipGetDeviceCount, is_available};
use std::fmt;

/// HIP error code for a missing device (`hipErrorNoDevice`).
const NO_DEVICE: u32 = 100;

/// Device of [`Rocm`](crate::Rocm) tensors: the number of the GPU, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RocmDevice {
    pub index: usize,
}

impl RocmDevice {
    pub fn new(index: usize) -> Self {
        RocmDevice { index }
    }

    /// Opens the device. The first tensor on a missing device panics with the same message.
    ///
    /// # Errors
    /// When there is no ROCm, no device of this number, or one that it does not open.
    pub fn open(self) -> Result<(), RocmError> {
        if !is_available() {
            return Err(RocmError::NoLibrary { device: self });
        }
        let mut count = 0;
        // SAFETY: the libraries are there, and the pointer is to a live `i32`.
        let status = unsafe { hipGetDeviceCount(&raw mut count) };
        let count = match status {
            HIP_SUCCESS => usize::try_from(count).unwrap_or(0),
            NO_DEVICE => 0,
            other => {
                let cause = format!("hipGetDeviceCount: error {other}");
                return Err(RocmError::Failed { device: self, cause });
            }
        };
        if self.index >= count {
            return Err(RocmError::NoDevice { device: self, count });
        }
        // `cubecl` asserts what the device answers.
        let opened = catch_panic(|| drop(RocmRuntime::client(&self)));
        opened.map_err(|cause| RocmError::Failed { device: self, cause })
    }

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

impl fmt::Display for RocmDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rocm({})", self.index)
    }
}

/// The ids are those that `cubecl` has for its devices.
impl Device for RocmDevice {
    fn from_id(id: DeviceId) -> Self {
        RocmDevice { index: id.index_id.into() }
    }

    fn to_id(&self) -> DeviceId {
        DeviceId { type_id: 0, index_id: self.index as u16 }
    }
}
