//! The leaf of every GPU: one set of kernels, for every runtime of `cubecl`.
//!
//! Nothing here is generic over the runtime but [`CubeBackend`], a shell of one call per method, and [`Gpu`], through
//! which a runtime's crate makes its [`Engine`]. Tensors, kernels and launches see an engine only, so they are compiled
//! once, here, and programs compile none of them (decision 20).
#![deny(clippy::wildcard_enum_match_arm)]
// Kernels are written in what `cube` expands: it knows neither `+=` on borrowed sizes nor `div_ceil`, and `x + 0` is how a
// variable starts as a parameter. Their constants are halves of sums, rounded on purpose.
#![allow(
    clippy::approx_constant,
    clippy::assign_op_pattern,
    clippy::identity_op,
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::manual_range_contains
)]

mod accumulate;
mod arithmetic;
mod attention;
mod backend;
mod block;
mod caught;
mod cause;
mod create;
mod declined;
mod element;
mod elementwise;
mod ending;
mod engine;
mod engines;
mod extension;
mod faults;
mod fft;
mod folder;
mod guard;
mod index;
mod interpolate;
mod kernel;
mod layout;
mod leaf;
mod library;
mod linalg;
mod lines;
mod lost;
mod math;
mod matmul;
mod memory;
mod memory_pool;
mod mended;
mod norm;
mod quantization;
mod random;
mod recurrent;
mod reduce;
mod runtime;
mod scan;
mod scores;
mod softmax;
mod sort;
#[cfg(feature = "template")]
mod source;
mod strides;
mod tables;
mod team;
mod tensor;
mod tune;
mod warning;
mod window;

pub use arithmetic::Arithmetic;
pub use backend::{CubeBackend, CubeRuntime, CubeRuntime as JitRuntime};
pub use block::block_by;
pub use caught::caught;
pub use cause::{LOST, cause, told};
pub use ending::wait_first;
pub use engine::{Engine, Gpu};
pub use engines::Engines;
pub use extension::{FloatElement, IntElement, build_info, into_contiguous};
pub use faults::Faults;
pub use folder::cache_folder;
pub use leaf::{Leaf, LeafDevice};
pub use library::{Answer, Attention, AttentionResults, Convolution, Epilogue, Library, Wanted};
pub use lost::Lost;
pub use matmul::{Form, matmul_by};
pub use memory::{MemoryUsage, OutOfMemory, Room};
pub use memory_pool::MemoryPool;
#[cfg(feature = "template")]
pub use source::{Execute, KernelSource, SourceKernel, SourceTemplate, TemplateError};
pub use tensor::CubeTensor;
pub use tune::{Answer as Chosen, Autotune, Choice, Key, MakeTrial, Question, Trial, Tuner, Why, timed};
pub use warning::warn;

/// For [`runtime!`].
#[doc(hidden)]
pub use cubecl;

/// The name of [`CubeBackend`] in older programs.
pub type JitBackend<R, F = f32, I = i32> = CubeBackend<R, F, I>;
/// The name of [`CubeTensor`] in older programs.
pub type JitTensor = CubeTensor;
