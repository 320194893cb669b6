//! The typed tensor that people write programs with.
//!
//! [`Tensor<B, D, K>`](Tensor) has its backend, its rank and its kind in the type; shape and dtype are known at
//! run time. Every method checks its call with the one shape inference and hands it to the backend.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod activation;
mod bool;
mod cast;
mod check;
mod closeness;
mod compare;
mod conv;
mod create;
mod dim;
mod display;
mod dyn_tensor;
mod error;
mod float;
pub mod grad;
mod gradient;
mod index;
mod int;
mod kind;
mod layout;
pub mod linalg;
mod matmul;
pub mod module;
pub mod named;
mod number;
mod numeric;
mod operators;
mod order;
mod pad;
mod pool;
mod primitive;
mod print_options;
mod random;
mod read;
mod reduce;
pub mod signal;
mod slice;
mod stack;
mod tensor;

pub use burn_backend::anomaly;
pub use burn_backend::{
    AutodiffBackend, Backend, DType, Device, Distribution, Element, ElementConversion, FloatElement, HasSpec,
    IntElement, IntTensor, Scalar, Shape, TensorData, bf16, f16,
};
pub use closeness::{Closeness, check_closeness};
pub use dim::AsDim;
pub use dyn_tensor::DynTensor;
pub use error::TensorError;
pub use kind::{Bool, Float, Int, Numeric, TensorKind};
pub use layout::{ExpandArgs, ReshapeArgs};
pub use operators::Number;
pub use pad::{PadArgs, PadMode};
pub use primitive::TensorPrimitive;
pub use print_options::{PrintOptions, set_print_options};
pub use slice::{SliceArgs, SliceItem};
pub use tensor::Tensor;

/// Backends, for programs that are generic over them.
pub mod backend {
    pub use burn_backend::{AutodiffBackend, Backend, BackwardError, Device, DeviceHandle, Segment};
}

/// What authors of operations and backends work with.
pub mod ops {
    pub use burn_backend::draws;
    pub use burn_backend::{
        BoolTensor, ConvOptions, FloatTensor, IntTensor, NamedOps, Operation, Outputs, PoolOptions,
        TensorHandle, TensorSpec,
    };
}
