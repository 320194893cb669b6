use crate::LibTorchDevice;
use burn_backend::{OpError, OpErrorKind, TensorSpec, kernel_error, memory};
use std::fmt;

/// Error of a device, or of a tensor of LibTorch that cannot become ours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TchError {
    /// There is no such device.
    NoDevice { device: LibTorchDevice, cause: String },
    /// Tensors on this device have no elements of this type.
    DType { device: LibTorchDevice, dtype: String },
    /// The device was there, and failed.
    Failed { device: LibTorchDevice, cause: String },
}

impl fmt::Display for TchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TchError::NoDevice { device, cause } => {
                write!(f, "LibTorch: there is no device {device}: {cause}")
            }
            TchError::DType { device, dtype } => {
                write!(
                    f,
                    "LibTorch: tensors on {device} have no elements of type {dtype}; convert them first"
                )
            }
            TchError::Failed { device, cause } => write!(f, "LibTorch: {device} failed: {cause}"),
        }
    }
}

impl std::error::Error for TchError {}

/// The first line of an error of LibTorch: a backtrace follows.
pub fn text(error: &tch::TchError) -> String {
    let text = error.to_string();
    let text = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("unknown error").trim();
    text.trim_start_matches("Internal torch error: ").to_string()
}

/// Ends the call with an error of its arguments or of its device.
#[cold]
#[track_caller]
pub fn refuse(op: &'static str, error: impl fmt::Display) -> ! {
    kernel_error::raise(OpError { op, kind: OpErrorKind::Argument(error.to_string().into()).into() })
}

/// Ends the call of `op`, for which LibTorch threw. A device that has no memory left is told from other
/// errors.
#[cold]
#[track_caller]
pub fn raise(op: &'static str, spec: Option<TensorSpec>, device: LibTorchDevice, error: &tch::TchError) -> ! {
    let cause = text(error);
    let lower = cause.to_lowercase();
    let of_memory =
        ["out of memory", "can't allocate memory", "not enough memory", "bad_alloc", "bad allocation"];
    if of_memory.iter().any(|part| lower.contains(part)) {
        let bytes = spec.as_ref().and_then(bytes);
        let kind = OpErrorKind::Memory { spec, bytes, available: None };
        kernel_error::raise(OpError { op, kind: kind.into() });
    }
    refuse(op, TchError::Failed { device, cause })
}

/// Ends the call, which asked for memory that the machine or the budget of the call does not have.
#[cold]
#[track_caller]
pub fn out_of_memory(spec: TensorSpec, bytes: Option<usize>) -> ! {
    kernel_error::raise(memory::out_of_memory(Some(spec), bytes))
}

/// Bytes that a tensor of `spec` has in memory, if they can be counted.
pub fn bytes(spec: &TensorSpec) -> Option<usize> {
    let width = crate::dtype::stored(spec.dtype).elt_size_in_bytes();
    spec.shape.checked_num_elements().and_then(|count| count.checked_mul(width))
}
