use alloc::string::String;
use core::fmt::{Display, Formatter, Result};

/// Error of saving, loading or using a config.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be read or written.
    File { path: String, cause: String },
    /// The text is no JSON, or a field of it is missing or of another type.
    Invalid { path: Option<String>, cause: String },
    /// A field has a value out of its range; see [`FieldCheck`](super::FieldCheck).
    Field {
        /// The type of the config.
        config: &'static str,
        /// The field, or the path to it: `schedules[1].gamma`.
        field: String,
        /// The value that was refused.
        value: String,
        /// The values that are allowed.
        expected: String,
    },
}

impl ConfigError {
    /// Panics with this error at the caller's line.
    #[cold]
    #[track_caller]
    pub fn raise(self) -> ! {
        panic!("{self}")
    }
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            ConfigError::File { path, cause } => write!(f, "config `{path}`: {cause}"),
            ConfigError::Invalid { path: Some(path), cause } => write!(f, "config `{path}`: {cause}"),
            ConfigError::Invalid { path: None, cause } => write!(f, "config: {cause}"),
            ConfigError::Field { config, field, value, expected } => {
                write!(f, "{config}: invalid `{field}`; expected {expected}, got {value}")
            }
        }
    }
}

burn_tensor::debug_as_display!(ConfigError);

impl core::error::Error for ConfigError {}
