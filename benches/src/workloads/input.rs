//! Inputs of the workloads.

use burn_tensor::{Backend, Distribution, Tensor};

/// Normal numbers: no denormals, no equal rows.
pub(super) fn normal<B: Backend, const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    Tensor::random(shape, Distribution::Normal(0.0, 1.0), &B::Device::default())
}
