//! Texts of libraries that cannot be loaded.

/// Returns the text of the system, which names the file; the error itself only says that loading failed.
pub fn load_error_text(error: &libloading::Error) -> String {
    core::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
