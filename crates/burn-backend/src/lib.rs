//! The [`Backend`] trait, the value side of it ([`dispatch`], [`interpreter::Interpreter`]) and slow references.

mod autodiff_backend;
mod backend;
mod block_on;
mod dispatch;
pub mod dynamic;
mod fuse;
pub mod interpreter;
mod named;
pub mod ops;
pub mod reference;

pub use autodiff_backend::{AutodiffBackend, InnerTensor};
pub use backend::{Backend, BoolTensor, Device, DeviceHandle, FloatTensor, IntTensor, TensorHandle};
pub use block_on::{Pending, block_on};
pub use dispatch::{create, dispatch};
pub use fuse::{Block, FusionBackend, FusionObject, Register, fusion_object_of};
pub use burn_ir::*;
pub use named::NamedOps;
