//! `relu(lhs @ rhs + bias)` as one operation of a program's own, with a kernel that is written in WGSL.
//!
//! [`Backend`] is what the program asks of a backend on top of the usual. `forward` has it for the backend on
//! Vulkan, Metal and WebGPU, and `backward` for `Autodiff` around anything that has it.

mod backward;
mod forward;
mod kernel;

use burn::tensor::ops::FloatTensor;
use burn::tensor::{Tensor, TensorPrimitive, activation, backend};

// ANCHOR: backend
/// Backend extension: one operation that this program needs on top of a [`backend::Backend`].
pub trait Backend: backend::Backend {
    /// Computes `relu(lhs @ rhs + bias)` of matrices; the dimensions before the last two are those of the
    /// result, or 1.
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

/// A backend with this operation and gradients.
pub trait AutodiffBackend: Backend + backend::AutodiffBackend {}
impl<B: Backend + backend::AutodiffBackend> AutodiffBackend for B {}

/// Computes the fused operation on tensors.
pub fn matmul_add_relu_custom<B: Backend, const D: usize>(
    lhs: Tensor<B, D>,
    rhs: Tensor<B, D>,
    bias: Tensor<B, D>,
) -> Tensor<B, D> {
    let [lhs, rhs, bias] = [lhs, rhs, bias].map(|x| x.into_primitive().tensor());
    Tensor::from_primitive(TensorPrimitive::Float(B::fused_matmul_add_relu(lhs, rhs, bias)))
}
// ANCHOR_END: backend

/// Computes the reference with three operations that every backend has.
pub fn matmul_add_relu_reference<B: backend::Backend, const D: usize>(
    lhs: Tensor<B, D>,
    rhs: Tensor<B, D>,
    bias: Tensor<B, D>,
) -> Tensor<B, D> {
    activation::relu(lhs.matmul(rhs) + bias)
}
