//! The [`Backend`] trait, the value side of it ([`dispatch`], [`interpreter::Interpreter`]) and references.
//!
//! A leaf implements [`Backend`]. A decorator implements [`interpreter::Interpreter`], one hook, and has
//! [`Backend`] by a blanket implementation. [`dynamic::Dynamic`] is any backend behind an object.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;

pub mod anomaly;
#[doc(hidden)]
pub mod around;
mod autodiff_backend;
mod backend;
mod block_head;
mod block_on;
mod dispatch;
pub mod draws;
pub mod dynamic;
mod fuse;
pub mod interpreter;
pub mod kernel_error;
#[cfg(feature = "std")]
pub mod kernels;
mod linear_map;
#[cfg(feature = "std")]
pub mod memory_budget;
pub mod module_scope;
mod named;
pub mod ops;
pub mod random;
pub mod reference;
#[cfg(feature = "std")]
pub mod replica;

pub use around::Around;
pub use autodiff_backend::{AutodiffBackend, BackwardError, InnerTensor};
pub use backend::{Backend, BoolTensor, Device, DeviceHandle, FloatTensor, IntTensor, Segment, TensorHandle};
pub use block_head::{BlockHead, HeadKind, Product};
pub use block_on::{Pending, block_on};
pub use burn_ir::*;
pub use dispatch::{create, dispatch};
pub use fuse::{Block, FusionBackend, FusionObject, Register, fusion_object_of};
pub use linear_map::{LinearMap, LinearMapError, LinearMapRef, apply_linear_map};
pub use named::NamedOps;
