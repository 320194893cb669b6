//! Times of what a device is bought for, as `scripts/gpu-check` compares them with PyTorch's: a line of name
//! and microseconds for each. The variable `BURN_MEASURE` may be a part of the names to measure. What they
//! compute is checked by the suite.

#[path = "../tests/device/mod.rs"]
mod device;

use burn_backend::DType;
use burn_conformance::times;
use burn_cuda::{Cuda, CudaDevice, allow_tf32};
use burn_fusion::Fusion;

type B = Fusion<Cuda>;

fn main() {
    device::require();
    let device = CudaDevice::default();
    times::convolution::<B>("", "f32", DType::F32, &device);
    times::matmul::<B>("", "f64", DType::F64, 4096, &device);
    allow_tf32(true);
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16), ("f16", DType::F16)] {
        for size in [4096, 8192] {
            times::matmul::<B>("", name, dtype, size, &device);
        }
    }
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16)] {
        times::memory_bound::<B>("", name, dtype, &device);
    }
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16)] {
        times::convolution::<B>("", name, dtype, &device);
        times::convolution_channels_last::<B>("", name, dtype, &device);
    }
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16)] {
        times::attention::<B>("", name, dtype, &device);
    }
    times::transforms::<B>("", &device);
    times::linear_algebra::<B>("", &device);
}
