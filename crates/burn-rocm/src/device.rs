use cubecl::device::{Device, DeviceId};
use std::fmt;

/// Device of [`Rocm`](crate::Rocm) tensors: the number of the GPU, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RocmDevice {
    pub index: usize,
}

impl RocmDevice {
    pub fn new(index: usize) -> Self {
        RocmDevice { index }
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
