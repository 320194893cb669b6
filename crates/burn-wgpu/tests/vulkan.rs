//! Times of what waits for memory, as `scripts/gpu-check` compares them with CUDA's on the same device.

mod device;

use burn_backend::DType;
use burn_conformance::times;
use burn_fusion::Fusion;
use burn_wgpu::{Wgpu, WgpuDevice};

#[test]
fn times() {
    device::require();
    if times::are_wanted() {
        times::memory_bound::<Fusion<Wgpu>>("vulkan ", "f32", DType::F32, &WgpuDevice::default());
    }
}
