use burn_backend::{Operation, TensorSpec, output_specs};

/// Panics at the caller's line when the call has no meaning. Not inlined: programs would compile all inference.
#[track_caller]
#[inline(never)]
pub fn check(op: &Operation<&TensorSpec>) {
    if let Err(error) = output_specs(op) {
        panic!("{error}");
    }
}
