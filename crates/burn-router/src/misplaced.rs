//! Errors of tensors between two backends, shared by all routers.

use burn_backend::{DataError, Pending};
use std::fmt::Debug;

/// Operands of one call are on two backends: a mistake of the program.
#[cold]
#[inline(never)]
#[track_caller]
pub fn panic_on_mixed_devices(what: &str, first: &dyn Debug, other: &dyn Debug) -> ! {
    panic!("{what}: operands are on {first:?} and on {other:?}; move one with to_device")
}

/// Returns the moved tensor, or panics if it could not be read.
#[track_caller]
pub fn arrived<T>(moved: Result<Result<T, DataError>, Pending>, from: &dyn Debug, to: &dyn Debug) -> T {
    match moved {
        Ok(Ok(x)) => x,
        Ok(Err(error)) => panic!("to_device: the tensor cannot be read from {from:?} for {to:?}: {error}"),
        Err(Pending) => panic!("to_device: this platform cannot wait for {from:?}; use Router::transfer"),
    }
}
