use burn_core::record::RecordError;
use burn_core::tensor::TensorError;
use std::fmt::{Display, Formatter};

/// Error of loading or running a language model.
#[derive(Clone)]
#[non_exhaustive]
pub enum LmError {
    /// A file cannot be read, or is not what its name says.
    File { path: String, cause: String },
    /// The configuration in a file lacks a field, or has a value that is not supported.
    Config { file: String, field: String, cause: String },
    /// A file with weights is damaged.
    Weights(RecordError),
    /// A weight is missing, of another shape, or is not part of the model that the configuration describes.
    Weight { file: String, name: String, cause: String },
    /// The vocabulary or the tokenizer of a file is damaged, or does not fit the model.
    Tokenizer { file: String, cause: String },
    /// The chat template has an error, or runs too long.
    Template { cause: String },
    /// A JSON schema is wrong, or has a keyword that is not supported.
    Schema { cause: String },
    /// The prompt is empty, or too long for the context or for the cache.
    Prompt { cause: String },
    /// An argument is out of its range.
    Argument { name: &'static str, expected: String, found: String },
    /// The cache has no room for another sequence.
    CacheFull { needed: usize, free: usize },
    /// A tensor operation failed, such as by lack of memory.
    Tensor(TensorError),
    /// The request was cancelled, or the engine that served it has stopped.
    Cancelled,
}

impl LmError {
    pub(crate) fn argument(
        name: &'static str,
        expected: impl Into<String>,
        found: impl std::fmt::Debug,
    ) -> Self {
        LmError::Argument { name, expected: expected.into(), found: format!("{found:?}") }
    }

    pub(crate) fn config(file: &str, field: &str, cause: impl Into<String>) -> Self {
        LmError::Config { file: file.to_string(), field: field.to_string(), cause: cause.into() }
    }

    pub(crate) fn tokenizer(file: &str, cause: impl Display) -> Self {
        LmError::Tokenizer { file: file.to_string(), cause: cause.to_string() }
    }
}

impl Display for LmError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            LmError::File { path, cause } => write!(f, "`{path}`: {cause}"),
            LmError::Config { file, field, cause } => write!(f, "`{file}`: `{field}`: {cause}"),
            LmError::Weights(error) => error.fmt(f),
            LmError::Weight { file, name, cause } => write!(f, "`{file}`: weight `{name}`: {cause}"),
            LmError::Tokenizer { file, cause } => write!(f, "`{file}`: tokenizer: {cause}"),
            LmError::Template { cause } => write!(f, "chat template: {cause}"),
            LmError::Schema { cause } => write!(f, "JSON schema: {cause}"),
            LmError::Prompt { cause } => write!(f, "prompt: {cause}"),
            LmError::Argument { name, expected, found } => {
                write!(f, "wrong `{name}`; expected {expected}, got {found}")
            }
            LmError::CacheFull { needed, free } => {
                write!(f, "the cache is full; expected at most {free} positions, got {needed}")
            }
            LmError::Tensor(error) => error.fmt(f),
            LmError::Cancelled => f.write_str("the request was cancelled"),
        }
    }
}

burn_core::tensor::debug_as_display!(LmError);

impl std::error::Error for LmError {}

impl From<RecordError> for LmError {
    fn from(error: RecordError) -> Self {
        LmError::Weights(error)
    }
}

impl From<TensorError> for LmError {
    fn from(error: TensorError) -> Self {
        LmError::Tensor(error)
    }
}
