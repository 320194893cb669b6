use crate::CudaDevice;
use burn_cubecl::{ALLOCATION_FAILED, OutOfMemory};
use cubecl::backtrace::BackTrace;
use cubecl::server::{LaunchError, ServerError};
use std::fmt;

/// Error of CUDA.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaError {
    /// The library of the driver cannot be loaded.
    NoDriver { device: CudaDevice },
    /// The device number does not exist.
    NoDevice { device: CudaDevice, count: usize },
    /// The device is older than the kernels that are written for it.
    TooOld { device: CudaDevice, name: String, capability: (u32, u32) },
    /// The driver does not open the device, or the device does not answer.
    Failed { device: CudaDevice, cause: String },
    /// A call of the driver failed. Where `cause` is a fault of a kernel, the device is lost to this process.
    Driver { call: &'static str, cause: String },
    /// A call of a library beside the driver failed.
    Library { library: &'static str, call: &'static str, cause: String },
    /// As `Library`, but transient: for instance, memory was short.
    Passing { library: &'static str, call: &'static str, cause: String },
    /// A kernel is not C++ that the compiler takes.
    Compile { kernel: String, log: String },
    /// The device has no room left, all sizes in bytes.
    OutOfMemory(OutOfMemory),
    /// Allocation of the tensor failed earlier, as the error before says.
    FailedBuffer,
    /// The operation is not supported by kernels of this runtime.
    Unsupported { what: &'static str },
}

impl CudaError {
    /// Whether the same call may succeed another time.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            CudaError::Driver { .. } | CudaError::Passing { .. } | CudaError::OutOfMemory(_) => true,
            CudaError::NoDriver { .. }
            | CudaError::NoDevice { .. }
            | CudaError::TooOld { .. }
            | CudaError::Failed { .. }
            | CudaError::Library { .. }
            | CudaError::Compile { .. }
            | CudaError::FailedBuffer
            | CudaError::Unsupported { .. } => false,
        }
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaError::NoDriver { device } => {
                write!(f, "{device}: the NVIDIA driver is not there: its library (libcuda) cannot be loaded")
            }
            CudaError::NoDevice { device, count } => {
                write!(f, "{device}: there is no such device, the driver offers {count}")
            }
            CudaError::TooOld { device, name, capability: (major, minor) } => {
                write!(f, "{device}: {name} has compute capability {major}.{minor}, 7.0 is needed")
            }
            CudaError::Failed { device, cause } => write!(f, "{device}: {cause}"),
            CudaError::Driver { call, cause } => write!(f, "{call}: {cause}"),
            CudaError::Library { library, call, cause } | CudaError::Passing { library, call, cause } => {
                write!(f, "{library}: {call}: {cause}")
            }
            CudaError::Compile { kernel, log } => write!(f, "kernel {kernel} does not compile: {log}"),
            CudaError::OutOfMemory(memory) => memory.fmt(f),
            CudaError::FailedBuffer => f.write_str(ALLOCATION_FAILED),
            CudaError::Unsupported { what } => write!(f, "{what} are not supported on CUDA"),
        }
    }
}

burn_backend::debug_as_display!(CudaError);

impl std::error::Error for CudaError {}

impl From<CudaError> for ServerError {
    fn from(error: CudaError) -> Self {
        let (reason, backtrace) = (error.to_string(), BackTrace::capture());
        match error {
            CudaError::OutOfMemory(_) => LaunchError::OutOfMemory { reason, backtrace }.into(),
            CudaError::Compile { .. } => {
                LaunchError::CompilationError(cubecl::CompilationError::Generic { reason, backtrace }).into()
            }
            CudaError::NoDriver { .. }
            | CudaError::NoDevice { .. }
            | CudaError::TooOld { .. }
            | CudaError::Failed { .. }
            | CudaError::Driver { .. }
            | CudaError::Library { .. }
            | CudaError::Passing { .. }
            | CudaError::FailedBuffer
            | CudaError::Unsupported { .. } => ServerError::Generic { reason, backtrace },
        }
    }
}
