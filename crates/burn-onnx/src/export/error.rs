use burn_capture::CaptureError;
use std::fmt;
use std::path::PathBuf;

/// Error of exporting a module.
#[non_exhaustive]
pub enum ExportError {
    /// Operations of the forward pass that cannot be written as ONNX, all of them.
    Unsupported(Vec<UnsupportedOperation>),
    /// A name, a dimension or a sample of an input or output is not what the export needs.
    Argument {
        /// Name of the input or output.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The forward pass makes other operations for other sizes of the dynamic dimensions.
    Structure {
        /// Index of the first operation that differs, counted from 0.
        step: usize,
        /// The operations that were found there, and the sizes they were found with.
        reason: String,
    },
    /// The forward pass could not be recorded.
    Capture(CaptureError),
    /// The model has 2 GiB or more, which one message of the format cannot hold.
    TooLarge {
        /// Bytes of the initializers.
        bytes: u64,
    },
    /// A file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// An operation of a forward pass that cannot be written as ONNX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedOperation {
    /// Name of the operation, such as `solve`.
    pub operation: String,
    /// Index among the recorded operations, counted from 0.
    pub step: usize,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Unsupported(operations) => {
                write!(f, "onnx export: operations that cannot be written as ONNX:")?;
                for UnsupportedOperation { operation, step, reason } in operations {
                    write!(f, "\n  {operation} (step {step}): {reason}")?;
                }
                Ok(())
            }
            ExportError::Argument { name, reason } => write!(f, "onnx export: `{name}`: {reason}"),
            ExportError::Structure { step, reason } => {
                write!(f, "onnx export: step {step} depends on the size of a dynamic dimension: {reason}")
            }
            ExportError::Capture(cause) => write!(f, "onnx export: {cause}"),
            ExportError::TooLarge { bytes } => write!(
                f,
                "onnx export: the weights have {bytes} bytes; expected less than 2 GiB in one message. \
                 OnnxExport::save writes larger ones to a file beside the model"
            ),
            ExportError::Write { path, source } => write!(f, "onnx export: {}: {source}", path.display()),
        }
    }
}

burn_ir::debug_as_display!(ExportError);

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ExportError::Capture(cause) => Some(cause),
            ExportError::Write { source, .. } => Some(source),
            ExportError::Unsupported(_)
            | ExportError::Argument { .. }
            | ExportError::Structure { .. }
            | ExportError::TooLarge { .. } => None,
        }
    }
}

impl From<CaptureError> for ExportError {
    fn from(cause: CaptureError) -> Self {
        ExportError::Capture(cause)
    }
}
