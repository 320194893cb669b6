//! Cause of a server error as one line, without backtraces and without follow-up errors.

use cubecl::CompilationError;
use cubecl::server::{IoError, LaunchError, ResourceLimitError, ServerError};

/// Returns the cause of a server error; of several errors the first, since the others mostly follow from it.
pub fn error_text(error: &ServerError) -> String {
    match error {
        ServerError::Generic { reason, .. } => reason.clone(),
        ServerError::Launch(error) => of_launch(error),
        ServerError::Profile(error) => before_backtrace(&error.to_string()),
        ServerError::Io(error) => of_copy(error),
        ServerError::ServerUnhealthy { errors, .. } => {
            errors.first().map_or_else(|| "the device failed".to_string(), error_text)
        }
    }
}

/// The cause with the device in front, unless the cause names it.
pub fn device_error_text(device: &str, error: &ServerError) -> String {
    let text = error_text(error);
    if text.starts_with(device) { text } else { format!("{device}: {text}") }
}

fn of_launch(error: &LaunchError) -> String {
    match error {
        LaunchError::CompilationError(
            CompilationError::UnsupportedInstruction { reason, .. }
            | CompilationError::Generic { reason, .. }
            | CompilationError::Validation { reason, .. },
        )
        | LaunchError::OutOfMemory { reason, .. }
        | LaunchError::Unknown { reason, .. } => reason.clone(),
        LaunchError::TooManyResources(error) => of_limit(error),
        LaunchError::IoError(error) => of_copy(error),
    }
}

fn of_limit(error: &ResourceLimitError) -> String {
    match error {
        ResourceLimitError::SharedMemory { requested, max, .. } => {
            format!("a kernel wants {requested} bytes of shared memory, the device has {max}")
        }
        ResourceLimitError::Units { requested, max, .. } => {
            format!("a kernel wants {requested} units in a cube, the device has {max}")
        }
        ResourceLimitError::CubeDim { requested, max, .. } => {
            format!("a kernel wants cubes of {requested:?} units, the device has {max:?}")
        }
    }
}

fn of_copy(error: &IoError) -> String {
    match error {
        IoError::BufferTooBig { size, .. } => format!("no buffer has {size} bytes"),
        IoError::NotFound { .. } => ALLOCATION_FAILED.to_string(),
        IoError::Unknown { description, .. } => description.clone(),
        IoError::Execution(error) => error_text(error),
        IoError::UnsupportedStrides { .. }
        | IoError::FreeError { .. }
        | IoError::UnsupportedIoOperation { .. } => before_backtrace(&error.to_string()),
    }
}

/// Message for a tensor whose allocation failed.
pub const ALLOCATION_FAILED: &str = "allocation of this tensor failed earlier, as the error before says";

fn before_backtrace(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubecl::backtrace::BackTrace;

    fn generic(reason: &str) -> ServerError {
        ServerError::Generic { reason: reason.into(), backtrace: BackTrace::capture() }
    }

    #[test]
    fn the_first_failure_is_the_cause() {
        let compile = CompilationError::Generic { reason: "no".into(), backtrace: BackTrace::capture() };
        let errors = vec![ServerError::Launch(compile.into()), generic("behind it")];
        let error = ServerError::ServerUnhealthy { errors, backtrace: BackTrace::capture() };
        assert_eq!(device_error_text("Cuda(0)", &error), "Cuda(0): no");
    }

    #[test]
    fn a_device_is_named_once() {
        assert_eq!(
            device_error_text("Cuda(0)", &generic("Cuda(0): out of memory")),
            "Cuda(0): out of memory"
        );
        assert_eq!(device_error_text("Cuda(0)", &generic("out of memory")), "Cuda(0): out of memory");
    }
}
