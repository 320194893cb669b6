//! The conformance suite on LibTorch with an NVIDIA GPU.

use burn_autodiff::Autodiff;
use burn_conformance::known_gaps::LIBTORCH_CUDA;
use burn_tch::{LibTorch, LibTorchDevice};

/// Makes the GPU the default device, and fails without one.
fn use_cuda() {
    let device = LibTorchDevice::Cuda(0);
    device.open().unwrap_or_else(|error| panic!("{error}"));
    device.set_default();
}

burn_conformance::suite!(all {
    cuda: LibTorch, before = use_cuda(), gaps = LIBTORCH_CUDA;
    cuda_autodiff: Autodiff<LibTorch>, before = use_cuda(), gaps = LIBTORCH_CUDA;
});
