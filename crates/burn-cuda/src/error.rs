use crate::CudaDevice;
use cubecl::backtrace::BackTrace;
use cubecl::server::{LaunchError, ServerError};
use std::fmt;

/// Why CUDA could not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaError {
    /// The library of the driver cannot be loaded.
    NoDriver { device: CudaDevice },
    /// There is no device of this number.
    NoDevice { device: CudaDevice, count: usize },
    /// The device is older than the kernels that are written for it.
    TooOld { device: CudaDevice, name: String, capability: (u32, u32) },
    /// A call of the driver failed. Where `cause` is a fault of a kernel, the device is lost to this process.
    Driver { call: &'static str, cause: String },
    /// A call of a library beside the driver failed.
    Library { library: &'static str, call: &'static str, cause: String },
    /// A kernel is not C++ that the compiler takes.
    Compile { kernel: String, log: String },
    /// The device has no room left, all sizes in bytes.
    OutOfMemory(OutOfMemory),
    /// The tensor has no memory, as an earlier error says.
    Lost,
    /// What kernels of this runtime cannot be given.
    Unsupported { what: &'static str },
}

/// What was asked for, and what there was, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    pub device: CudaDevice,
    pub asked: u64,
    /// By tensors that live.
    pub used: u64,
    /// By pools: tensors that live, and room that is kept for others.
    pub reserved: u64,
    /// On the device, for anybody.
    pub free: u64,
    pub total: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [asked, used, reserved, free, total] =
            [self.asked, self.used, self.reserved, self.free, self.total].map(Size);
        write!(
            f,
            "{}: out of memory: {asked} were asked for, tensors use {used}, pools hold {reserved}, \
             {free} of {total} are free",
            self.device
        )
    }
}

struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, gib) = (self.0, self.0 as f64 / (1u64 << 30) as f64);
        if gib >= 1.0 {
            write!(f, "{gib:.2} GiB")
        } else {
            write!(f, "{:.2} MiB", bytes as f64 / (1u64 << 20) as f64)
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
            CudaError::Driver { call, cause } => write!(f, "{call}: {cause}"),
            CudaError::Library { library, call, cause } => write!(f, "{library}: {call}: {cause}"),
            CudaError::Compile { kernel, log } => write!(f, "kernel {kernel} does not compile: {log}"),
            CudaError::OutOfMemory(memory) => memory.fmt(f),
            CudaError::Lost => f.write_str("a tensor has no memory, as an earlier error says"),
            CudaError::Unsupported { what } => write!(f, "{what} are not supported on CUDA"),
        }
    }
}

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
            | CudaError::Driver { .. }
            | CudaError::Library { .. }
            | CudaError::Lost
            | CudaError::Unsupported { .. } => ServerError::Generic { reason, backtrace },
        }
    }
}
