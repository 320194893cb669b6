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
