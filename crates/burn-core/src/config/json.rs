use super::{ConfigError, limits};
use alloc::string::{String, ToString};
use core::fmt::{Display, Formatter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Options of a module, an optimizer or a program. Made by `#[derive(Config)]`.
///
/// ```
/// use burn::config::Config;
///
/// #[derive(Config, Debug, PartialEq)]
/// struct TrainingConfig {
///     #[config(default = 1e-4)]
///     learning_rate: f64,
///     #[config(default = "relu")]
///     activation: String,
///     #[config(default = "Some(3)")]
///     patience: Option<usize>,
///     hidden: usize,
/// }
///
/// let config = TrainingConfig::new(16).with_learning_rate(0.01);
/// assert_eq!((config.hidden, config.learning_rate), (16, 0.01));
/// assert_eq!((config.activation.as_str(), config.patience), ("relu", Some(3)));
///
/// let text = config.to_json();
/// assert_eq!(TrainingConfig::from_json(&text), Ok(config));
/// ```
///
/// A field that a file lacks has its default, so that files written before the field existed still load; a
/// field without a default is then an error, and a field that the config does not know is left out.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a config", note = "add `#[derive(Config)]`")]
pub trait Config: Serialize + DeserializeOwned {
    /// Writes the config as JSON. The file is written beside and renamed: it is whole or not there.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written.
    #[cfg(feature = "std")]
    fn save<P: AsRef<std::path::Path>>(&self, path: P) -> Result<(), ConfigError> {
        file::save(path.as_ref(), to_value(self))
    }

    /// Reads a config that [`save`](Config::save) wrote.
    ///
    /// # Errors
    /// The file cannot be read, is no JSON, has more than 64 MiB or a million values, or does not have the
    /// fields of this config; the error names the field.
    #[cfg(feature = "std")]
    fn load<P: AsRef<std::path::Path>>(path: P) -> Result<Self, ConfigError> {
        let value = file::load(path.as_ref())?;
        serde_json::from_value(value).map_err(|error| file::invalid(path.as_ref(), &error))
    }

    /// Parses a config from the content of a file, for instance one that is compiled into the program.
    ///
    /// # Errors
    /// As [`load`](Config::load).
    fn load_binary(data: &[u8]) -> Result<Self, ConfigError> {
        limits::check(data).map_err(|cause| ConfigError::Invalid { path: None, cause })?;
        serde_json::from_slice::<Value>(data)
            .and_then(serde_json::from_value)
            .map_err(|error| invalid(&error))
    }

    /// Formats this config as pretty-printed JSON.
    fn to_json(&self) -> String {
        render(&to_value(self))
    }

    /// Parses the JSON that [`to_json`](Config::to_json) returned.
    ///
    /// # Errors
    /// As [`load`](Config::load).
    fn from_json(text: &str) -> Result<Self, ConfigError> {
        Self::load_binary(text.as_bytes())
    }
}

/// Formats a config as pretty-printed JSON; derived configs implement [`Display`] with it.
#[doc(hidden)]
pub fn display<C: Config>(config: &C, f: &mut Formatter<'_>) -> core::fmt::Result {
    render(&to_value(config)).fmt(f)
}

fn to_value<C: Config>(config: &C) -> Value {
    serde_json::to_value(config).expect("a config is made of values that JSON has")
}

fn render(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value can be written")
}

fn invalid(error: &serde_json::Error) -> ConfigError {
    ConfigError::Invalid { path: None, cause: error.to_string() }
}

#[cfg(feature = "std")]
mod file {
    use super::{ConfigError, ToString, Value, limits};
    use alloc::vec::Vec;
    use burn_io::{Bounded, open_file};
    use std::io::{self, Read};
    use std::path::Path;

    pub fn save(path: &Path, value: Value) -> Result<(), ConfigError> {
        crate::record::write_atomic(path, &mut |file| {
            serde_json::to_writer_pretty(&mut *file, &value)?;
            file.write_all(b"\n")
        })
        .map_err(|error| ConfigError::File { path: path.display().to_string(), cause: error.to_string() })
    }

    pub fn load(path: &Path) -> Result<Value, ConfigError> {
        let unreadable = |error: io::Error| ConfigError::File {
            path: path.display().to_string(),
            cause: error.to_string(),
        };
        let too_large = |cause| ConfigError::Invalid { path: Some(path.display().to_string()), cause };
        let mut file = open_file(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        limits::check_size(size).map_err(too_large)?;
        let mut text = Vec::with_capacity(size as usize + 1);
        Bounded::new(&mut file, limits::BYTES as u64).read_to_end(&mut text).map_err(unreadable)?;
        limits::check(&text).map_err(too_large)?;
        serde_json::from_slice(&text).map_err(|error| invalid(path, &error))
    }

    pub fn invalid(path: &Path, error: &serde_json::Error) -> ConfigError {
        ConfigError::Invalid { path: Some(path.display().to_string()), cause: error.to_string() }
    }
}
