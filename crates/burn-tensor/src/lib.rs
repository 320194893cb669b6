//! The typed tensor that people write programs with.
//!
//! [`Tensor<B, D, K>`](Tensor) has its backend, its rank and its kind in the type; shape and dtype are known at
//! run time. Every method checks its call with the one shape inference and hands it to the backend.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod activation;
mod bitwise;
mod bool;
mod cast;
mod check;
mod closeness;
mod compare;
mod conv;
mod create;
mod cumulative;
mod dim;
mod display;
mod dyn_tensor;
mod einsum;
mod elementary;
mod error;
pub mod grad;
mod gradient;
mod in_operation;
mod index;
mod indices_nd;
mod int;
mod kind;
mod layout;
pub mod linalg;
mod mask_select;
mod matmul;
mod meshgrid;
pub mod module;
pub mod named;
mod number;
mod numeric;
mod one_hot;
mod operators;
mod options;
mod order;
mod pad;
mod parts;
mod pool;
mod precision;
mod primitive;
mod print_options;
mod promotion;
mod quantile;
pub mod quantization;
mod random;
mod read;
mod reduce;
mod reduce_dims;
mod roll;
pub mod signal;
mod slice;
mod stack;
mod tensor;
mod transaction;
mod unary;
mod update;

#[doc(hidden)]
pub use burn_backend::arc_dyn;
pub use burn_backend::{
    AutodiffBackend, Backend, DType, DataError, Device, Distribution, Element, ElementConversion,
    FloatElement, HasSpec, IndexUpdate, IntElement, IntTensor, Scalar, Shape, TensorData, Tolerance, bf16,
    f16,
};
pub use burn_backend::{anomaly, sync};
pub use closeness::{Closeness, check_closeness};
pub use dim::AsDim;
pub use dyn_tensor::DynTensor;
pub use einsum::{EinsumOperands, einsum, try_einsum};
pub use error::TensorError;
pub use kind::{Bool, Float, Int, Numeric, TensorKind};
pub use layout::{ExpandArgs, MovedimArgs, ReshapeArgs};
pub use meshgrid::{MeshIndexing, meshgrid, try_meshgrid};
pub use operators::Number;
pub use options::TensorOptions;
pub use pad::{PadArgs, PadMode};
pub use parts::DimIter;
pub use primitive::TensorPrimitive;
pub use print_options::{PrintOptions, set_print_options};
pub use slice::{Slice, SliceArgs};
pub use tensor::Tensor;
pub use transaction::Transaction;

/// Backends, for programs that are generic over them.
pub mod backend {
    pub use burn_backend::{
        Around, AutodiffBackend, Backend, BackwardError, Device, DeviceHandle, Segment, around, module_scope,
    };
}

/// Types and functions for authors of operations and backends.
pub mod ops {
    pub use crate::in_operation::{in_operation, try_in_operation};
    pub use burn_backend::draws;
    pub use burn_backend::{
        BoolTensor, ConvOptions, FloatTensor, IntTensor, NamedOps, OpError, OpErrorKind, Operation, Outputs,
        PoolOptions, TensorHandle, TensorSpec,
    };
}
