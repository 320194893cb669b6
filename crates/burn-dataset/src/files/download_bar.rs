use indicatif::{ProgressBar, ProgressStyle};

/// Returns the progress bar of a download on the standard error, invisible where that is no terminal.
pub(crate) fn download_bar(url: &str, size: Option<u64>) -> ProgressBar {
    let template = match size {
        Some(_) => "{msg} [{bar:32}] {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{msg} {bytes} {bytes_per_sec}",
    };
    let name = url.rsplit('/').next().unwrap_or(url).to_owned();
    let bar = size.map_or_else(ProgressBar::no_length, ProgressBar::new).with_message(name);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
