use crate::{Input, Value};
use burn_backend::{DataError, OpError, TensorSpec};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Error of reading, writing or checking a program.
#[derive(Clone)]
#[non_exhaustive]
pub enum ProgramError {
    /// The file cannot be read or written.
    File { path: PathBuf, cause: Arc<io::Error> },
    /// The bytes do not begin as a program does.
    NoProgram,
    /// A version of the format that this version of Burn does not read.
    Version { found: u32, known: u32 },
    /// The number of bytes differs from the length in the header.
    Length { expected: u64, found: u64 },
    /// The bytes are not those that were written.
    Checksum,
    /// The bytes cannot be read as steps.
    Malformed(String),
    /// A step, counted from 0, has no meaning.
    Step { step: usize, name: &'static str, cause: String },
    /// An output or a name is of a value that no step makes.
    Missing { name: String, value: Value },
    /// The program has more values than can be numbered.
    TooLong,
    /// A constant, made by this step, has 4 GiB or more.
    TooLarge { step: usize },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::File { path, cause } => write!(f, "{}: {cause}", path.display()),
            ProgramError::NoProgram => f.write_str("this is no captured program"),
            ProgramError::Version { found, known } => {
                write!(
                    f,
                    "the program is of version {found} of the format; this version of Burn reads {known}"
                )
            }
            ProgramError::Length { expected, found } => {
                write!(f, "the program should have {expected} bytes, and has {found}")
            }
            ProgramError::Checksum => f.write_str("the program is damaged: its checksum is another"),
            ProgramError::Malformed(cause) => write!(f, "the program cannot be read: {cause}"),
            ProgramError::Step { step, name, cause } => write!(f, "step {step}, {name}: {cause}"),
            ProgramError::Missing { name, value } => write!(f, "`{name}` is {value}, which no step makes"),
            ProgramError::TooLong => f.write_str("the program has more values than can be numbered"),
            ProgramError::TooLarge { step } => write!(f, "the constant of step {step} has 4 GiB or more"),
        }
    }
}

burn_backend::debug_as_display!(ProgramError);

impl std::error::Error for ProgramError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ProgramError::File { cause, .. } => Some(&**cause),
            ProgramError::NoProgram
            | ProgramError::Version { .. }
            | ProgramError::Length { .. }
            | ProgramError::Checksum
            | ProgramError::Malformed(_)
            | ProgramError::Step { .. }
            | ProgramError::Missing { .. }
            | ProgramError::TooLong
            | ProgramError::TooLarge { .. } => None,
        }
    }
}

/// Error of finishing a recording.
#[derive(Clone)]
#[non_exhaustive]
pub enum CaptureError {
    /// A constant could not be read from its device.
    Constant(DataError),
    /// The platform cannot block on reading a constant: use the async form.
    Pending,
    /// The recorded steps are not a valid program.
    Program(ProgramError),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::Constant(cause) => write!(f, "capture: a constant cannot be read: {cause}"),
            CaptureError::Pending => {
                f.write_str("capture: this platform cannot wait for constants; use finish_async")
            }
            CaptureError::Program(cause) => write!(f, "capture: {cause}"),
        }
    }
}

burn_backend::debug_as_display!(CaptureError);

impl std::error::Error for CaptureError {}

/// Error of running a program.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ReplayError {
    /// The number of inputs differs.
    Inputs { expected: usize, found: usize },
    /// An input of another shape or element type.
    Input { expected: Input, found: TensorSpec },
    /// A call has no meaning, which can only be after an `argwhere` that found another number of elements.
    Call { step: usize, error: OpError },
    /// The device failed.
    Device { step: usize, error: DataError },
    /// The backend panicked with `message`.
    Panic { step: usize, name: &'static str, message: String },
    /// The platform cannot block on an `argwhere`: use `replay_async`.
    Pending,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Inputs { expected, found } => {
                write!(f, "replay: the program has {expected} inputs, and got {found}")
            }
            ReplayError::Input { expected: Input { name, spec }, found } => write!(
                f,
                "replay: input `{name}` is {}{:?}, and got {}{:?}",
                spec.dtype, spec.shape, found.dtype, found.shape
            ),
            ReplayError::Call { step, error } => write!(f, "replay: step {step}: {error}"),
            ReplayError::Device { step, error } => write!(f, "replay: step {step}: {error}"),
            ReplayError::Panic { step, name, message } => {
                write!(f, "replay: step {step}, {name}: the backend panicked: {message}")
            }
            ReplayError::Pending => {
                f.write_str("replay: this platform cannot wait for argwhere; use replay_async")
            }
        }
    }
}

burn_backend::debug_as_display!(ReplayError);

impl std::error::Error for ReplayError {}
