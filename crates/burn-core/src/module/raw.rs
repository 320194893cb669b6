//! Between typed tensors and what backends handle.

use crate::tensor::{Backend, Tensor, TensorKind};

pub fn of<B: Backend, const D: usize, K: TensorKind>(tensor: &Tensor<B, D, K>) -> &B::Tensor {
    tensor.handle()
}

pub fn into<B: Backend, const D: usize, K: TensorKind>(tensor: Tensor<B, D, K>) -> B::Tensor {
    tensor.into_handle()
}

pub fn from<B: Backend, const D: usize, K: TensorKind>(tensor: B::Tensor) -> Tensor<B, D, K> {
    Tensor::from_handle(tensor)
}
