//! The backend of every GPU: one set of kernels, for every runtime of `cubecl`.
//!
//! Nothing here is generic over the runtime but [`CubeBackend`], a shell of one call per method, and [`Gpu`],
//! through which a runtime's crate makes its [`Engine`]. Tensors, kernels and launches see an engine only, so
//! they are compiled once, here, and programs compile none of them (decision 20).
#![deny(clippy::wildcard_enum_match_arm)]
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Kernels are written in what `cube` expands: it knows neither `+=` on borrowed sizes nor `div_ceil`, and `x
// + 0` is how a variable starts as a parameter. Their constants are halves of sums, rounded on purpose.
#![allow(
    clippy::approx_constant,
    clippy::assign_op_pattern,
    clippy::identity_op,
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::manual_range_contains
)]

mod backend;
mod device;
mod execute;
pub mod kernels;
mod launch;
mod ops;

pub use backend::{CubeBackend, CubeRuntime, CubeRuntime as JitRuntime, LeafDevice};
pub use device::arithmetic::Arithmetic;
pub use device::cache_dir::cache_folder;
pub use device::catch_panic::catch_panic;
pub use device::engine::{Engine, LinearAlgebra};
pub use device::engine_registry::Engines;
pub use device::error_text::{ALLOCATION_FAILED, device_error_text, error_text};
pub use device::failed_buffers::FailedBuffers;
pub use device::faults::Faults;
pub use device::gpu::Gpu;
pub use device::library::{
    Answer, AttentionCall, AttentionResults, ConvolutionCall, Epilogue, Library, Wanted,
};
pub use device::memory::{MemoryUsage, OutOfMemory, Room};
pub use device::memory_pool::MemoryPool;
pub use device::process_exit::exit_waits_for_devices;
pub use device::tune::{
    Answer as Chosen, Autotune, Choice, Key, MakeTrial, Question, Trial, Tuner, Why, timed,
};
pub use device::warning::warn;
pub use execute::Leaf;
pub use launch::custom_kernel::{FloatElement, IntElement, build_info, into_contiguous};
pub use launch::element::stored_bytes;
#[cfg(feature = "template")]
pub use launch::source_kernel::{Execute, KernelSource, SourceKernel, SourceTemplate, TemplateError};
pub use launch::tensor::CubeTensor;
pub use ops::block::block_by;
pub use ops::matmul::{Form, matmul_by};

/// For [`engines!`] and [`runtime!`].
#[doc(hidden)]
pub use {burn_backend, cubecl};

/// The name of [`CubeBackend`] in older programs.
pub type JitBackend<R, F = f32, I = i32> = CubeBackend<R, F, I>;
/// The name of [`CubeTensor`] in older programs.
pub type JitTensor = CubeTensor;
