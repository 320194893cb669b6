//! Prose in comments is at most 110 columns wide, as code is.

use super::Findings;
use crate::workspace::{is_written, rust_files};

/// Columns of a line.
const WIDTH: usize = 110;

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    // Generated files keep the lines of the model's own documentation.
    for (name, text) in rust_files(is_written)? {
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
