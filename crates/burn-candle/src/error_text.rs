use burn_library_backend::first_line;

/// Returns what candle says of an error, without the lines about where it was made.
pub fn error_text(error: &candle_core::Error) -> String {
    first_line(&error.to_string()).into()
}
