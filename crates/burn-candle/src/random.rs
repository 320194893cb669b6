//! Random numbers, drawn on the host.

use crate::CandleDevice;
use crate::element::Number;
use crate::library::Core;
use crate::tensor::CandleTensor;
use burn_backend::{Distribution, TensorSpec};
use burn_library_backend::random::Stream;
use burn_library_backend::{Kernels, with_element};
use candle_core::Tensor;

static STREAM: Stream = Stream::new();

/// Restarts the stream.
pub fn seed(seed: u64) {
    STREAM.seed(seed);
}

#[track_caller]
pub fn random(spec: TensorSpec, distribution: Distribution, device: CandleDevice) -> CandleTensor {
    let (dtype, shape) = (spec.dtype, spec.shape.clone());
    Core::create("random", device, spec, |device| {
        with_element!(dtype, E => {
            let mut values = vec![E::default().store(); shape.num_elements()];
            STREAM.fill(distribution, &mut values, E::store);
            Tensor::from_vec(values, &shape[..], device)
        })
    })
}
