use burn_backend::{OpError, OpErrorKind, TensorSpec, kernel_error};

/// Ends the call, which asked for `bytes` that the machine cannot give: for a tensor, or else as workspace. None is more
/// than can be counted.
///
/// # Panics
/// Where no operation of the tensor waits for the error: see [`kernel_error::raise`].
#[cold]
#[inline(never)]
#[track_caller]
pub fn out_of_memory(spec: Option<TensorSpec>, bytes: Option<usize>) -> ! {
    #[cfg(all(feature = "std", target_os = "linux"))]
    let available = super::available::available();
    #[cfg(not(all(feature = "std", target_os = "linux")))]
    let available = None;
    // A limit of the process may be below what the machine has.
    let available = available.filter(|&available| bytes.is_none_or(|bytes| bytes > available));
    kernel_error::raise(OpError {
        op: "allocation",
        kind: OpErrorKind::Memory { spec, bytes, available }.into(),
    })
}
