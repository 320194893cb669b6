use crate::CudaError;
use crate::driver::Context;
use cubecl::device::{Device, DeviceId};
use std::fmt;

/// Where tensors of [`Cuda`](crate::Cuda) live: the number of the device, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CudaDevice {
    pub index: usize,
}

impl CudaDevice {
    pub fn new(index: usize) -> Self {
        CudaDevice { index }
    }

    /// Whether the device is there. The first tensor on a device that is not panics with the same message.
    ///
    /// # Errors
    /// When there is no driver, no device of this number, or one that is too old.
    pub fn open(self) -> Result<(), CudaError> {
        Context::open(self).map(|_| ())
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
