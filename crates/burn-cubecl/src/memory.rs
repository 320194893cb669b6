/// What the pools of a device hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// Buffers that are in use.
    pub buffers: u64,
    /// Bytes of these buffers.
    pub used: u64,
    /// Bytes that were taken from the device, for buffers of now and of later.
    pub reserved: u64,
}

impl From<cubecl::MemoryUsage> for MemoryUsage {
    fn from(usage: cubecl::MemoryUsage) -> Self {
        MemoryUsage { buffers: usage.number_allocs, used: usage.bytes_in_use, reserved: usage.bytes_reserved }
    }
}
