//! Records that travel with the record of a parameter.

use alloc::boxed::Box;
use core::any::Any;

/// Record of a field with `#[module(record_in = parameter)]`, which has no field of its own in the record of
/// its module: `LinearRecord { weight, bias }` stays complete, and the adapter of the layer is saved all the
/// same.
pub trait Attachment: Any + Send + Sync {
    fn clone_box(&self) -> Box<dyn Attachment>;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Any + Clone + Send + Sync> Attachment for T {
    fn clone_box(&self) -> Box<dyn Attachment> {
        Box::new(self.clone())
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Clone for Box<dyn Attachment> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}
