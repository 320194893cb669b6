//! Tensors to begin with.

use burn::backend::NdArray;
use burn::backend::ndarray::NdArrayDevice;
use burn::tensor::{Bool, Int, Tensor, TensorData};

/// The backend of most tests.
pub type B = NdArray;

pub const CPU: &NdArrayDevice = &NdArrayDevice::Cpu;

#[track_caller]
pub fn float<const D: usize>(data: impl Into<TensorData>) -> Tensor<B, D> {
    Tensor::from_data(data, CPU)
}

#[track_caller]
pub fn int<const D: usize>(data: impl Into<TensorData>) -> Tensor<B, D, Int> {
    Tensor::from_data(data, CPU)
}

#[track_caller]
pub fn bool<const D: usize>(data: impl Into<TensorData>) -> Tensor<B, D, Bool> {
    Tensor::from_data(data, CPU)
}
