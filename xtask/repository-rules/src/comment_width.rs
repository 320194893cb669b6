//! Prose in comments is at most 110 columns wide, as code is.

use crate::lines::Lines;
use repository::RustFile;

/// Columns of a line.
const WIDTH: usize = 110;

/// Finds the lines of prose that are too wide. Code, tables and commands are not prose.
pub(crate) fn find(file: &RustFile) -> Lines {
    let (mut found, mut is_code) = (Lines::new(), false);
    for (at, line) in file.text.lines().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("//") else {
            is_code = false;
            continue;
        };
        let comment = rest.trim_start_matches(['/', '!']);
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        let is_prose = !["|", "    ", "["].iter().any(|start| comment.starts_with(start));
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && is_prose && line.chars().count() > WIDTH {
            found.push((at + 1, format!("over {WIDTH} columns")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_prose_is_found_and_code_is_not() {
        let wide =
            |text: String| find(&RustFile::new("lib.rs", text)).into_iter().map(|(line, _)| line).collect();
        let words = "word ".repeat(30);
        let found: Vec<usize> = wide(format!("/// Short.\nfn f() {{}}\n    // {words}\n"));
        assert_eq!(found, [3]);
        let code = format!("/// ```\n/// {words}\n/// ```\n/// | {words} |\n//! {words}\n");
        let found: Vec<usize> = wide(code);
        assert_eq!(found, [5]);
    }
}
