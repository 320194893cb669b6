use crate::RocmDevice;
use burn_cubecl::runtime;
use cubecl::hip::HipRuntime;

runtime! {
    /// HIP, as a runtime of kernels: that of `cubecl`, with devices of ours.
    RocmRuntime("rocm"), with RocmDevice, of HipRuntime
}
