//! Random numbers, drawn on the host.

use crate::element::Number;
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, host};
use burn_backend::{Distribution, TensorSpec};
use burn_library_backend::random::Stream;
use burn_library_backend::{Kernels, Library, with_element};

static STREAM: Stream = Stream::new();

/// Restarts the stream.
pub fn seed(seed: u64) {
    STREAM.seed(seed);
}

#[track_caller]
pub fn random(spec: TensorSpec, distribution: Distribution, device: LibTorchDevice) -> TchTensor {
    let (dtype, shape) = (spec.dtype, spec.shape.clone());
    Torch::create("random", device, spec, |inner| {
        let x = with_element!(dtype, E => host::make::<E>(&shape, |values| {
            STREAM.fill(distribution, values, E::store);
        }))?;
        Torch::move_to(x, inner)
    })
}
