//! Code shared by leaves over a foreign tensor library, such as LibTorch and candle.
//!
//! A leaf names its library in an implementation of [`Library`], and has from here how kernels are run
//! ([`Kernels`]), tensors that share buffers, whose memory is counted ([`Handle`], [`Memory`]), the error of a device ([`DeviceError`]), element types
//! and the types that they are stored as ([`stored`], [`with_element`]) and random numbers ([`random`]).
#![deny(clippy::wildcard_enum_match_arm)]

mod element;
mod error;
mod handle;
mod kernel;
mod library;
mod memory;
pub mod random;

pub use element::Int;
pub use error::{DeviceError, ForeignDevice, first_line, out_of_memory, refuse};
pub use handle::Handle;
pub use kernel::{Kernels, result, with_dtype};
pub use library::Library;
pub use memory::Memory;
