//! Traits of tensors and devices of backends.

use alloc::boxed::Box;
use alloc::vec::Vec;
use burn_ir::HasSpec;
use core::fmt::Debug;

/// A tensor of some backend: cheap to clone, knows its spec, crosses threads.
pub trait TensorHandle: HasSpec + Clone + Debug + Send + Sync + 'static {}
impl<T: HasSpec + Clone + Debug + Send + Sync + 'static> TensorHandle for T {}

/// Device of a backend, on which tensors are allocated.
pub trait DeviceHandle: Clone + Debug + Default + PartialEq + Send + Sync + 'static {}
impl<T: Clone + Debug + Default + PartialEq + Send + Sync + 'static> DeviceHandle for T {}

/// Segment of a program over tensors of a backend, which may run more than once.
pub type Segment<T> = Box<dyn Fn(Vec<T>) -> Vec<T> + Send>;
