use crate::RocmDevice;
use std::fmt;

/// Error of ROCm.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RocmError {
    /// The libraries of HIP cannot be loaded.
    NoLibrary { device: RocmDevice },
    /// The device number does not exist.
    NoDevice { device: RocmDevice, count: usize },
    /// The runtime does not open the device, or the device does not answer.
    Failed { device: RocmDevice, cause: String },
}

impl fmt::Display for RocmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RocmError::NoLibrary { device } => write!(
                f,
                "{device}: ROCm is not there: its libraries (libamdhip64 and libhiprtc) cannot be loaded from ROCM_PATH, \
                 HIP_PATH or where the system looks"
            ),
            RocmError::NoDevice { device, count } => {
                write!(f, "{device}: there is no such device, ROCm offers {count}")
            }
            RocmError::Failed { device, cause } => write!(f, "{device}: {cause}"),
        }
    }
}

burn_backend::debug_as_display!(RocmError);

impl std::error::Error for RocmError {}
