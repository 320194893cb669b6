//! The conformance suite on candle with an NVIDIA GPU.

use burn_autodiff::Autodiff;
use burn_candle::{Candle, CandleDevice};
use burn_conformance::known_gaps::CANDLE_CUDA;

/// Makes the GPU the default device, and fails without one.
fn use_cuda() {
    let device = CandleDevice::Cuda(0);
    device.open().unwrap_or_else(|error| panic!("{error}"));
    device.set_default();
}

burn_conformance::suite!(all {
    cuda: Candle, before = use_cuda(), gaps = CANDLE_CUDA;
    cuda_autodiff: Autodiff<Candle>, before = use_cuda(), gaps = CANDLE_CUDA;
});
