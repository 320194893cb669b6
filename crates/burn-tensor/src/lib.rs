//! The typed tensor that people write programs with.

mod check;
mod display;
mod gradient;
mod kind;
mod operators;
mod tensor;

pub use burn_backend::{
    AutodiffBackend, Backend, DType, Device, Distribution, Element, FloatTensor, HasSpec, IntTensor, Scalar,
    Shape, TensorData,
};
pub use kind::{Bool, Float, Int, Numeric, TensorKind};
pub use tensor::Tensor;
