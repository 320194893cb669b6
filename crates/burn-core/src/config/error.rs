use alloc::string::String;
use core::fmt::{Display, Formatter, Result};

/// Why a config was not saved or loaded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be read or written.
    File { path: String, cause: String },
    /// The text is no JSON, or a field of it is missing or of another type.
    Invalid { path: Option<String>, cause: String },
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            ConfigError::File { path, cause } => write!(f, "config `{path}`: {cause}"),
            ConfigError::Invalid { path: Some(path), cause } => write!(f, "config `{path}`: {cause}"),
            ConfigError::Invalid { path: None, cause } => write!(f, "config: {cause}"),
        }
    }
}

impl core::error::Error for ConfigError {}
