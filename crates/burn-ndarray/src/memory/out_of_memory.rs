use burn_backend::{TensorSpec, kernel_error, memory};

/// Ends the call, which asked for `bytes` that the machine does not have: for a tensor, or else as workspace.
/// None is more than can be counted.
///
/// # Panics
/// Where no operation of the tensor waits for the error: see [`kernel_error::raise`].
#[cold]
#[inline(never)]
#[track_caller]
pub fn out_of_memory(spec: Option<TensorSpec>, bytes: Option<usize>) -> ! {
    kernel_error::raise(memory::out_of_memory(spec, bytes))
}
