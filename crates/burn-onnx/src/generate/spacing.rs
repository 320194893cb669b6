//! Empty lines between the items of formatted source.

/// Source with an empty line before each item.
pub(super) fn spaced(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        let begins = ["///", "#[", "pub fn", "pub struct", "burn::", "impl", "fn"]
            .iter()
            .any(|start| inner.starts_with(start));
        let goes_on = ["///", "#[", "{", "("]
            .iter()
            .any(|part| before.trim_start().starts_with(part) || before.ends_with(part));
        if begins && !goes_on && !before.is_empty() && (indent == 0 || (indent == 4 && before == "    }")) {
            result.push('\n');
        }
        result.push_str(line);
        result.push('\n');
        before = line;
    }
    result
}
