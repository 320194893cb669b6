use super::{Param, Parameter};
use alloc::boxed::Box;
use core::any::Any;

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
