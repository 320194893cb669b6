/// # Panics
/// When there are failures; the message shows the first of them.
#[track_caller]
pub fn assert_no_failure(failures: &[String]) {
    let shown = failures.len().min(12);
    assert!(failures.is_empty(), "{} calls went wrong\n  {}", failures.len(), failures[..shown].join("\n  "));
}
