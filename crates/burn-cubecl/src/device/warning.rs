use std::io::Write;

/// Warns the user of a slow path on the error stream. Callers say each thing once.
pub fn warn(text: &str) {
    // Without an error stream the warning is lost.
    let _ = writeln!(std::io::stderr(), "warning: {text}");
}
