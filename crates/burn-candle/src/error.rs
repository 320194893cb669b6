use crate::CandleDevice;
use burn_backend::{OpError, OpErrorKind, TensorSpec, kernel_error, memory};
use std::fmt;

/// Error of a device, or of a tensor of candle that cannot become ours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CandleError {
    /// There is no such device.
    NoDevice { device: CandleDevice, cause: String },
    /// Tensors on this device have no elements of this type.
    DType { device: CandleDevice, dtype: String },
    /// The device was there, and failed.
    Failed { device: CandleDevice, cause: String },
}

impl fmt::Display for CandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CandleError::NoDevice { device, cause } => {
                write!(f, "candle: there is no device {device}: {cause}")
            }
            CandleError::DType { device, dtype } => {
                write!(f, "candle: tensors on {device} have no elements of type {dtype}; convert them first")
            }
            CandleError::Failed { device, cause } => write!(f, "candle: {device} failed: {cause}"),
        }
    }
}

impl std::error::Error for CandleError {}

/// The first line of an error of candle: a backtrace may follow.
pub fn text(error: &candle_core::Error) -> String {
    let text = error.to_string();
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("unknown error").trim().to_string()
}

/// Ends the call with an error of its arguments or of its device.
#[cold]
#[track_caller]
pub fn refuse(op: &'static str, error: impl fmt::Display) -> ! {
    kernel_error::raise(OpError { op, kind: OpErrorKind::Argument(error.to_string().into()).into() })
}

/// Ends the call of `op`, for which candle gave an error. A device that has no memory left is told from other
/// errors.
#[cold]
#[track_caller]
pub fn raise(
    op: &'static str,
    spec: Option<TensorSpec>,
    device: CandleDevice,
    error: &candle_core::Error,
) -> ! {
    let cause = text(error);
    let lower = cause.to_lowercase();
    if lower.contains("out of memory") || lower.contains("out_of_memory") {
        let bytes = spec.as_ref().and_then(bytes);
        let kind = OpErrorKind::Memory { spec, bytes, available: None };
        kernel_error::raise(OpError { op, kind: kind.into() });
    }
    refuse(op, CandleError::Failed { device, cause })
}

/// Ends the call, which asked for memory that the machine or the budget of the call does not have.
#[cold]
#[track_caller]
pub fn out_of_memory(spec: TensorSpec, bytes: Option<usize>) -> ! {
    kernel_error::raise(memory::out_of_memory(Some(spec), bytes))
}

/// Bytes that a tensor of `spec` has in memory, if they can be counted.
pub fn bytes(spec: &TensorSpec) -> Option<usize> {
    let width = crate::dtype::stored(spec.dtype).size_in_bytes();
    spec.shape.checked_num_elements().and_then(|count| count.checked_mul(width))
}
