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
}

impl fmt::Display for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cuda({})", self.index)
    }
}
