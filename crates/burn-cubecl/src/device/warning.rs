use std::io::Write;

/// Tells who runs the program of something that is slower than it could be. Callers say each thing once.
pub fn warn(text: &str) {
    // Without an error stream there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "warning: {text}");
}
