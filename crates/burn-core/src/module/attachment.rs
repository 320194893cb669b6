//! Records that travel with the record of a parameter.

use super::{Param, Parameter};
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

/// Attaches the record of another field to `parameter`; `None` is not kept.
pub fn attach<T: Parameter, R: Any + Clone + Send + Sync>(parameter: &mut Param<T>, record: Option<R>) {
    if let Some(record) = record {
        parameter.attach(Box::new(record));
    }
}

/// Takes the record of another field from `parameter`, if one of this type is attached.
pub fn detach<T: Parameter, R: Any>(parameter: &mut Param<T>) -> Option<R> {
    let record = parameter.detach()?.into_any().downcast().ok()?;
    Some(*record)
}
