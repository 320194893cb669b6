//! Times on an NVIDIA GPU, as `scripts/gpu-check` puts them beside those of `burn-cuda`: a line of name and
//! microseconds for each. Products and convolutions of `f32` round nothing to TF32 here.

use burn_backend::DType;
use burn_conformance::times;
use burn_tch::{LibTorch, LibTorchDevice};

type B = LibTorch;

const PREFIX: &str = "libtorch ";

fn main() {
    let device = LibTorchDevice::Cuda(0);
    device.open().unwrap_or_else(|error| panic!("{error}"));
    times::matmul::<B>(PREFIX, "f64", DType::F64, 4096, &device);
    for (name, dtype) in [("bf16", DType::BF16), ("f16", DType::F16)] {
        for size in [4096, 8192] {
            times::matmul::<B>(PREFIX, name, dtype, size, &device);
        }
    }
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16)] {
        times::memory_bound::<B>(PREFIX, name, dtype, &device);
        times::convolution::<B>(PREFIX, name, dtype, &device);
    }
    times::convolution_channels_last::<B>(PREFIX, "bf16", DType::BF16, &device);
    times::attention::<B>(PREFIX, "bf16", DType::BF16, &device);
    times::transforms::<B>(PREFIX, &device);
    times::linear_algebra::<B>(PREFIX, &device);
}
