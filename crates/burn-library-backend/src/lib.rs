//! Code shared by backends over a tensor library that has kernels of its own, such as LibTorch and candle.
//!
//! A backend implements [`Library`] for its library. This crate then runs kernels ([`Kernels`]), counts the
//! memory of tensors that share buffers ([`Handle`], [`Memory`]), reports errors of devices
//! ([`DeviceError`]), chooses the element type that a dtype is stored as ([`stored`], [`with_element`]),
//! keeps the default device ([`DefaultDevice`]), and draws random numbers ([`random`]).
#![deny(clippy::wildcard_enum_match_arm)]

mod default_device;
mod element;
mod error;
mod handle;
mod kernel;
mod library;
mod memory;
pub mod random;
mod range;

pub use default_device::DefaultDevice;
pub use element::Int;
pub use error::{DeviceError, LibraryDevice, first_line, out_of_memory, refuse, refuse_index};
pub use handle::Handle;
pub use kernel::{Kernels, result, with_dtype};
pub use library::Library;
pub use memory::Memory;
pub use range::range_elements;
