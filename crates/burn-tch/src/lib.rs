//! The backend over LibTorch: PyTorch's kernels on CPU, CUDA and Apple's GPUs, and its tensors as ours and
//! back.
//!
//! Views are LibTorch's views, without copies, and an operation writes over an operand that nothing else
//! holds. An operation runs on LibTorch's kernel where its results are those of the definition; elsewhere on
//! a kernel of this crate over LibTorch's buffers, on the host, or as a composition of other operations.
//! `Profile` shows which: `torch exp`, `burn-tch div`, `composition recurrent`.
//!
//! LibTorch is not downloaded by a build: `LIBTORCH` names the folder where it is, or
//! `LIBTORCH_USE_PYTORCH=1` takes that of a Python with PyTorch.
//!
//! ```
//! use burn_backend::{Backend, UnaryOp};
//! use burn_tch::{LibTorch, TchTensor, tch};
//!
//! let x = tch::Tensor::from_slice(&[1.0_f32, 4.0]);
//! let root = <LibTorch>::unary(UnaryOp::Sqrt, TchTensor::from_tch(x)?);
//! assert_eq!(root.into_tch(), tch::Tensor::from_slice(&[1.0_f32, 2.0]));
//! # Ok::<(), burn_tch::TchError>(())
//! ```
#![deny(clippy::wildcard_enum_match_arm)]

mod arg_reduce;
mod attention;
mod backend;
mod binary;
mod block;
mod cast;
mod compare;
mod conv;
mod create;
mod cumulative;
mod device;
mod dispatcher;
mod dtype;
mod element;
mod error_text;
mod execute;
mod fft;
mod host;
mod index;
mod interpolate;
mod kernel;
mod layout;
mod leaf;
mod library;
mod linalg;
mod mask;
mod matmul;
mod memory;
mod norm;
mod object;
mod parallel;
mod pool;
mod random;
mod reduce;
mod scatter;
mod settings;
mod sizes;
mod softmax;
mod sort;
mod tensor;
mod unary;

pub use device::{LIBTORCH_VERSION, LibTorchDevice, TchError};
pub use leaf::{LibTorch, TchElement};
pub use tch;
pub use tensor::TchTensor;
