//! Times of what waits for memory, as `scripts/gpu-check` compares them with CUDA's on the same device.

#[path = "../tests/device/mod.rs"]
mod device;

use burn_backend::DType;
use burn_conformance::times;
use burn_fusion::Fusion;
use burn_wgpu::{Wgpu, WgpuDevice};

fn main() {
    device::require();
    times::memory_bound::<Fusion<Wgpu>>("vulkan ", "f32", DType::F32, &WgpuDevice::default());
}
