use burn_backend::{Operation, TensorSpec, output_specs};

/// Panics at the caller's line when the call has no meaning. Not inlined: programs would compile all inference.
#[track_caller]
#[inline(never)]
pub fn check(op: &Operation<&TensorSpec>) {
    if let Err(error) = output_specs(op) {
        panic!("{error}");
    }
}

/// [`check`] of the call that most programs make most; operands of one spec are fine whatever it is.
#[track_caller]
#[inline]
pub fn check_binary(op: burn_backend::BinaryOp, lhs: &TensorSpec, rhs: &TensorSpec) {
    if lhs.dtype != rhs.dtype || !op.accepts(lhs.dtype) || lhs.shape != rhs.shape {
        check(&Operation::Binary { op, lhs, rhs });
    }
}
