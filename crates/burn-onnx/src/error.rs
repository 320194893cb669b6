use std::fmt;
use std::path::PathBuf;

/// Error of reading, translating or running a model.
#[non_exhaustive]
pub enum OnnxError {
    /// The file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The cause that the system gives.
        source: std::io::Error,
    },
    /// The content is no model, is damaged, or is beyond a limit.
    Malformed {
        /// The file, or the name of the model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// A node cannot be translated, or its computation failed.
    Node {
        /// Name of the node, or its position in the graph.
        node: String,
        /// Operator of the node, with the domain if that is not the standard one.
        operator: String,
        /// The reason.
        reason: String,
    },
    /// Operators of the model that are not supported, all of them.
    Unsupported(Vec<UnsupportedOperator>),
    /// A file of generated source or weights cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The model takes more than one of its [`Limits`](crate::Limits).
    Limit {
        /// Field of the limit.
        limit: &'static str,
        /// Name of the node at which it was exceeded, or its position. None if that is the whole model.
        node: Option<String>,
        /// Value of the limit, in bytes, nodes, levels or iterations.
        most: u64,
        /// Amount that the model needs, in the same unit.
        found: u64,
        /// All of this in words.
        reason: String,
    },
    /// The run was stopped by its [`CancelToken`](crate::CancelToken).
    Cancelled,
    /// An input of a run is missing or has another type than the model says, or the shape that is fixed for
    /// an input is none that it can have.
    Input {
        /// Name of the input.
        name: String,
        /// The reason.
        reason: String,
    },
}

/// An operator that is not supported, and the nodes that need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedOperator {
    /// Name of the operator, with the domain if that is not the standard one.
    pub operator: String,
    /// Version of the operator set that the model imports.
    pub opset: i64,
    /// Names of the nodes.
    pub nodes: Vec<String>,
}

impl fmt::Display for OnnxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OnnxError::Read { path, source } => write!(f, "{}: {source}", path.display()),
            OnnxError::Malformed { model, reason } => {
                write!(f, "{model}: not a readable ONNX model: {reason}")
            }
            OnnxError::Node { node, operator, reason } => write!(f, "node `{node}` ({operator}): {reason}"),
            OnnxError::Unsupported(operators) => {
                write!(f, "operators of the model that are not supported (see SUPPORTED-ONNX-OPS.md):")?;
                for UnsupportedOperator { operator, opset, nodes } in operators {
                    write!(f, "\n  {operator} (opset {opset}), nodes: {}", nodes.join(", "))?;
                }
                Ok(())
            }
            OnnxError::Write { path, reason } => write!(f, "{}: {reason}", path.display()),
            OnnxError::Limit { reason, .. } => f.write_str(reason),
            OnnxError::Cancelled => f.write_str("run: it was cancelled"),
            OnnxError::Input { name, reason } => write!(f, "input `{name}`: {reason}"),
        }
    }
}

burn_ir::debug_as_display!(OnnxError);

impl std::error::Error for OnnxError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OnnxError::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The reason of an error in a node, without the node: [`OnnxError::Node`] adds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(pub String);

impl Reason {
    /// Makes a reason of a text.
    pub fn new(text: impl Into<String>) -> Self {
        Reason(text.into())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Reason(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Reason(text.into())
    }
}

#[cfg(feature = "run")]
impl From<burn_tensor::TensorError> for Reason {
    fn from(error: burn_tensor::TensorError) -> Self {
        Reason(error.to_string())
    }
}

/// A result whose error is about a node that the caller knows.
pub type Outcome<T> = Result<T, Reason>;

/// Leaves the function with a [`Reason`].
macro_rules! fail {
    ($($text:tt)*) => {
        return Err($crate::error::Reason(format!($($text)*)))
    };
}
pub(crate) use fail;

/// Leaves the function with a [`Reason`] unless a condition holds.
macro_rules! require {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            $crate::error::fail!($($text)*);
        }
    };
}
pub(crate) use require;
