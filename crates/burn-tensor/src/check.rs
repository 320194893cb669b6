use crate::TensorError;
use burn_backend::{Backend, BinaryOp, Elementwise, Operation, TensorSpec, output_specs};
use core::fmt::Debug;

/// Checks the operands of a call by shape inference. Not inlined: programs would compile all inference.
#[track_caller]
#[inline(never)]
pub fn check(op: &Operation<&TensorSpec>) -> Result<(), TensorError> {
    match output_specs(op) {
        Ok(_) => Ok(()),
        Err(error) => Err(TensorError::from(error)),
    }
}

/// [`check`] of the call that most programs make most; operands of one spec are fine whatever it is.
#[track_caller]
#[inline]
pub fn check_binary(op: BinaryOp, lhs: &TensorSpec, rhs: &TensorSpec) -> Result<(), TensorError> {
    if lhs.dtype != rhs.dtype || !op.accepts(lhs.dtype) || lhs.shape != rhs.shape {
        return check(&Operation::Elementwise(Elementwise::Binary { op, lhs, rhs }));
    }
    Ok(())
}

/// Checks that the operands are on one device.
#[track_caller]
#[inline]
pub fn together<B: Backend>(
    operation: &'static str,
    first: &B::Tensor,
    others: &[&B::Tensor],
) -> Result<(), TensorError> {
    let device = B::device(first);
    match others.iter().map(|x| B::device(x)).find(|other| *other != device) {
        None => Ok(()),
        Some(other) => devices_differ(operation, &device, &other),
    }
}

#[track_caller]
#[cold]
fn devices_differ(operation: &'static str, first: &dyn Debug, other: &dyn Debug) -> Result<(), TensorError> {
    // A training step on several devices moves its operands.
    #[cfg(feature = "std")]
    if burn_backend::replica::is_active() {
        return Ok(());
    }
    let message = format_args!("operands are on {first:?} and on {other:?}; move one with to_device");
    Err(TensorError::argument(operation, message))
}

/// An error about the arguments of an operation, unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $operation:expr, $($message:tt)+) => {
        let holds: bool = $condition;
        if !holds {
            return Err($crate::TensorError::argument($operation, format_args!($($message)+)));
        }
    };
}
pub(crate) use ensure;
