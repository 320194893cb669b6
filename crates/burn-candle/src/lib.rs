//! The backend over [candle](candle_core): its kernels on CPU, CUDA and Metal, and its tensors as ours and
//! back.
//!
//! Views are candle's views, without copies. An operation runs on candle's kernel where its results are those
//! of the definition; elsewhere on a kernel of this crate over candle's buffers, on the host, or as a
//! composition of other operations. `Profile` shows which: `candle exp`, `burn-candle tan`, `composition
//! conv`.
//!
//! ```
//! use burn_backend::{Backend, UnaryOp, block_on};
//! use burn_candle::{Candle, CandleDevice, CandleTensor, candle_core};
//!
//! let x = candle_core::Tensor::new(&[1.0_f32, 4.0], &candle_core::Device::Cpu)?;
//! let root = <Candle>::unary(UnaryOp::Sqrt, CandleTensor::from_candle(x)?);
//! assert_eq!(root.into_candle().to_vec1::<f32>()?, [1.0, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(clippy::wildcard_enum_match_arm)]

mod arg_reduce;
mod backend;
mod binary;
mod buffer;
mod cast;
mod compare;
mod conv;
mod create;
mod cumulative;
mod device;
mod dtype;
mod element;
mod error_text;
mod execute;
mod fft;
mod host;
mod in_place;
mod index;
mod interpolate;
mod kernel;
mod layout;
mod leaf;
mod library;
mod mask;
mod matmul;
mod memory;
mod norm;
mod object;
mod pool;
mod random;
mod reduce;
mod rows;
mod scatter;
mod softmax;
mod sort;
mod tensor;
mod unary;

pub use candle_core;
pub use device::{CandleDevice, CandleError};
pub use leaf::Candle;
pub use tensor::CandleTensor;
