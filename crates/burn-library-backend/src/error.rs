use burn_backend::{DType, OpError, OpErrorKind, Shape, TensorSpec, kernel_error, memory};
use std::fmt;

/// Device of a tensor library, as a backend names it.
pub trait LibraryDevice: Copy + PartialEq + fmt::Debug + fmt::Display {
    /// Name of the library in errors.
    const LIBRARY: &'static str;
}

/// Error of a device, or of a tensor of the library that cannot become one of the backend.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceError<D> {
    /// There is no such device.
    NoDevice { device: D, cause: String },
    /// Tensors on this device have no elements of this type.
    DType { device: D, dtype: String },
    /// The device was there, and failed.
    Failed { device: D, cause: String },
}

impl<D: LibraryDevice> fmt::Display for DeviceError<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(D::LIBRARY)?;
        match self {
            DeviceError::NoDevice { device, cause } => write!(f, ": there is no device {device}: {cause}"),
            DeviceError::DType { device, dtype } => {
                write!(f, ": tensors on {device} have no elements of type {dtype}; convert them first")
            }
            DeviceError::Failed { device, cause } => write!(f, ": {device} failed: {cause}"),
        }
    }
}

burn_backend::debug_as_display!(impl[D: LibraryDevice] DeviceError<D>);

impl<D: LibraryDevice> std::error::Error for DeviceError<D> {}

/// Ends the call with an error of its arguments or of its device.
#[cold]
#[track_caller]
pub fn refuse(op: &'static str, error: impl fmt::Display) -> ! {
    kernel_error::raise(OpError { op, kind: OpErrorKind::Argument(error.to_string().into()).into() })
}

/// Ends the call, whose index in `dtype`, read as an `i64`, is outside of dimension `dim` of `x`.
#[cold]
#[track_caller]
pub fn refuse_index(op: &'static str, index: i64, dtype: DType, x: &Shape, dim: usize) -> ! {
    // Beyond the largest `i64` they have wrapped around.
    let index = if dtype == DType::U64 { i128::from(index as u64) } else { i128::from(index) };
    let size = x[dim];
    refuse(
        op,
        format_args!("index {index} is out of range for dimension {dim} of {x:?}, which has size {size}"),
    )
}

/// Ends the call, which asked for memory that the machine or the budget of the call does not have.
#[cold]
#[track_caller]
pub fn out_of_memory(spec: &TensorSpec, bytes: Option<usize>) -> ! {
    kernel_error::raise(memory::out_of_memory(Some(spec.clone()), bytes))
}

/// Returns the first line of an error that is not empty: a backtrace may follow.
pub fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("unknown error")
}
