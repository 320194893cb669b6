//! Conversion between typed tensors and backend tensors.

use crate::tensor::{Backend, Tensor, TensorKind, TensorPrimitive};

pub fn into<B: Backend, const D: usize, K: TensorKind>(tensor: Tensor<B, D, K>) -> TensorPrimitive<B> {
    K::unwrap::<B>(tensor.into_primitive())
}

pub fn from<B: Backend, const D: usize, K: TensorKind>(tensor: TensorPrimitive<B>) -> Tensor<B, D, K> {
    Tensor::from_primitive(K::wrap::<B>(tensor))
}
