//! The [`Backend`] trait, the typed calls of every backend ([`TypedCalls`]) and references.
//!
//! A leaf executes an operation by a match on its family, a decorator does something around the same call.
//! [`dynamic::Dynamic`] is any backend as a trait object.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;

pub mod anomaly;
mod apply_linear_map;
mod autodiff_backend;
mod backend;
mod block;
mod block_head;
mod block_on;
mod block_rows;
mod block_step;
pub mod dynamic;
mod fuse;
#[cfg(feature = "std")]
pub mod gradient_hook;
mod handle;
pub mod kernel_error;
#[cfg(feature = "std")]
pub mod kernels;
mod launch_graph;
mod linear_map;
#[cfg(feature = "std")]
pub mod memory_budget;
pub mod module_scope;
pub mod ops;
pub mod random;
pub mod reference;
mod repeated_step;
#[cfg(feature = "std")]
pub mod replica;
pub mod rng_replay;
#[doc(hidden)]
pub mod stateless;
mod typed_calls;

pub use apply_linear_map::apply_linear_map;
pub use autodiff_backend::{AutodiffBackend, BackwardError, InnerTensor, LeafId};
pub use backend::{Backend, BoolTensor, Device, FloatTensor, IntTensor};
pub use block::Block;
pub use block_head::{BlockHead, Product, Products, RowProducts};
pub use block_on::{Pending, block_on};
pub use block_rows::BlockRows;
pub use block_step::{BlockStep, Register};
pub use burn_ir::*;
pub use fuse::{FusionBackend, FusionObject, fusion_object_of};
pub use handle::{DeviceHandle, Segment, TensorHandle};
pub use launch_graph::{LaunchGraph, LaunchGraphs};
pub use linear_map::{LinearMap, LinearMapError, LinearMapRef};
pub use repeated_step::{RepeatedStep, StepResults};
pub use stateless::Around;
pub use typed_calls::TypedCalls;
