//! Prose in comments is at most 110 columns wide, as code is.

use super::Findings;
use crate::workspace::{files, relative};
use std::fs;

/// Columns of a line.
const WIDTH: usize = 110;

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in files(&["rs"]) {
        let name = relative(&path);
        // Generated files keep the lines of the model's own documentation.
        if name.contains("/generated/") || name.contains("/folded/") {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|cause| format!("{name}: {cause}"))?;
        findings.extend(wide(&text).into_iter().map(|line| format!("{name}:{line}: over {WIDTH} columns")));
    }
    Ok(findings)
}

/// Numbers of the lines of prose in comments that are too wide. Code, tables and commands are not prose.
fn wide(text: &str) -> Vec<usize> {
    let (mut found, mut is_code) = (Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let Some(rest) = trimmed.strip_prefix("//") else {
            is_code = false;
            continue;
        };
        let comment = rest.trim_start_matches(['/', '!']);
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if !is_code
            && line.chars().count() > WIDTH
            && !comment.starts_with('|')
            && !comment.starts_with("    ")
            && !comment.starts_with('[')
        {
            found.push(at + 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_prose_is_found_and_code_is_not() {
        let words = "word ".repeat(30);
        let prose = format!("/// Short.\nfn f() {{}}\n    // {words}\n");
        assert_eq!(wide(&prose), [3]);
        let code = format!("/// ```\n/// {words}\n/// ```\n/// | {words} |\n//! {words}\n");
        assert_eq!(wide(&code), [5]);
    }
}
