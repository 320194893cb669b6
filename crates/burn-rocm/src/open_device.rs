use crate::cube::RocmRuntime;
use crate::{RocmDevice, RocmError};
use burn_cubecl::catch_panic;
use cubecl::prelude::Runtime;
use cubecl_hip_sys::{HIP_SUCCESS, hipGetDeviceCount, is_available};

/// HIP error code for a missing device (`hipErrorNoDevice`).
const NO_DEVICE: u32 = 100;

impl RocmDevice {
    /// Opens the device. The first tensor on a missing device panics with the same message.
    ///
    /// # Errors
    /// When there is no ROCm, no device of this number, or one that it does not open.
    pub fn open(self) -> Result<(), RocmError> {
        if !is_available() {
            return Err(RocmError::NoLibrary { device: self });
        }
        let mut count = 0;
        // SAFETY: the libraries are there, and the count has a place.
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
}
