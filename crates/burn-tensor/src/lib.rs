//! The typed tensor that people write programs with.
//!
//! [`Tensor<B, D, K>`](Tensor) has its backend, its rank and its kind in the type; shape and dtype are known
//! at run time. Every method checks its call with the one shape inference and hands it to the backend.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

// Rustdoc shows the methods of `Tensor` in the order of these modules, which rustfmt keeps where a line is
// between them.

// The tensor itself: construction, reading and conversion.
mod tensor;

mod create;

mod random;

mod read;

mod cast;

// Layout.
mod layout;

mod stack;

mod roll;

mod pad;

// Parts.
mod slice;

mod parts;

mod index;

mod indices_nd;

mod update;

mod mask_select;

// Arithmetic and comparison.
mod numeric;

mod unary;

mod elementary;

mod compare;

mod bool;

mod bitwise;

// Linear algebra.
mod matmul;

pub mod linalg;

mod einsum;

// Reductions and order.
mod reduce;

mod reduce_dims;

mod cumulative;

mod quantile;

mod order;

// Functions.
mod pool;

mod conv;

mod one_hot;

mod int;

pub mod quantization;

mod gradient;

mod dyn_tensor;

// Types, traits and functions.
pub mod activation;
mod check;
mod closeness;
mod dim;
mod display;
mod error;
pub mod grad;
mod in_operation;
mod kind;
mod layout_args;
mod meshgrid;
pub mod module;
pub mod named;
mod number;
mod operators;
mod options;
mod precision;
mod primitive;
mod print_options;
mod promotion;
mod pytorch_names;
pub mod signal;
mod transaction;

pub use burn_backend::{
    AutodiffBackend, Backend, DType, DataError, Device, Distribution, Element, ElementConversion,
    FloatElement, HasSpec, IndexUpdate, IntElement, IntTensor, Scalar, Shape, TensorData, Tolerance, bf16,
    f16,
};
pub use burn_backend::{anomaly, sync};
#[doc(hidden)]
pub use burn_backend::{arc_dyn, debug_as_display};
pub use closeness::{Closeness, check_closeness};
pub use dim::AsDim;
pub use dyn_tensor::DynTensor;
pub use einsum::{EinsumOperands, einsum, try_einsum};
pub use error::TensorError;
pub use kind::{Bool, Float, Int, Numeric, TensorKind};
pub use layout_args::{ExpandArgs, FlipArgs, MovedimArgs, PermuteArgs, ReshapeArgs};
pub use meshgrid::{MeshIndexing, meshgrid, try_meshgrid};
pub use one_hot::OneHot;
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
    #[cfg(feature = "std")]
    pub use burn_backend::gradient_hook::{GradientHook, GradientHookScope};
    #[cfg(feature = "std")]
    pub use burn_backend::replica::ReplicaScope;
    pub use burn_backend::{
        Around, AutodiffBackend, Backend, BackwardError, Device, DeviceHandle, LaunchGraph, LaunchGraphs,
        LeafId, RepeatedStep, Segment, StepResults, around, module_scope,
    };
}

/// Types and functions for authors of operations and backends.
pub mod ops {
    pub use crate::in_operation::{in_operation, try_in_operation};
    pub use burn_backend::rng_replay;
    pub use burn_backend::{
        Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order, Pooling,
        Quantized, Recurrent, Reduction, Resize, Spectral,
    };
    pub use burn_backend::{
        BoolTensor, ConvOptions, FloatTensor, IntTensor, OpError, OpErrorKind, Outputs, PoolOptions,
        TensorHandle, TensorSpec, TypedCalls,
    };
}
