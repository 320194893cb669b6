use burn_library_backend::first_line;

/// Returns what LibTorch says of an error, without what it says before and after all of them.
pub fn error_text(error: &tch::TchError) -> String {
    first_line(&error.to_string()).trim_start_matches("Internal torch error: ").into()
}
