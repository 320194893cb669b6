//! Code that stands twice does not grow.
//!
//! Lines are compared without their indentation. Blank lines, comments, imports and lines of punctuation
//! alone do not count.

use crate::lines::at_most;
use repository::{Findings, RustFile};
use std::collections::HashMap;

/// Lines of a run.
const RUN: usize = 6;

/// Positions from which on a run is too common to be the same logic: the fields of a manifest, say.
const COMMON: usize = 8;

/// Pairs of runs that may stand. The number only shrinks.
const PAIRS: usize = 225;

/// A line that counts: its number, and its text.
type Line<'a> = (usize, &'a str);

/// Finds the pairs of runs of equal lines, if there are more than may be.
pub(crate) fn find(files: &[RustFile]) -> Findings {
    let written: Vec<_> = files.iter().filter(|file| file.is_written()).collect();
    let lines: Vec<Vec<Line>> = written.iter().map(|file| lines(file)).collect();
    let described = pairs(&lines).into_iter().map(|[first, second]| {
        let at = |(file, line): (usize, usize)| format!("{}:{}", written[file].name, lines[file][line].0);
        format!("{} is {} again", at(second), at(first))
    });
    at_most(PAIRS, described.collect(), |count| {
        format!("{count} pairs of {RUN} lines or more stand twice, at most {PAIRS} may")
    })
}

/// The lines of a file that count.
fn lines(file: &RustFile) -> Vec<Line<'_>> {
    let says_something =
        |code: &str| code.chars().any(char::is_alphanumeric) && !code.trim().starts_with("use ");
    let both = file.text.lines().zip(file.code.lines()).enumerate();
    both.filter(|(_, (_, code))| says_something(code)).map(|(at, (text, _))| (at + 1, text.trim())).collect()
}

/// Where runs begin that are equal, by file and by index of its lines: the longest ones, not the runs within.
fn pairs(files: &[Vec<Line>]) -> Vec<[(usize, usize); 2]> {
    let mut positions: HashMap<Vec<&str>, Vec<(usize, usize)>> = HashMap::new();
    for (file, lines) in files.iter().enumerate() {
        for (at, run) in lines.windows(RUN).enumerate() {
            positions.entry(run.iter().map(|line| line.1).collect()).or_default().push((file, at));
        }
    }
    let before = |(file, at): (usize, usize)| Some(files[file][at.checked_sub(1)?].1);
    let mut pairs = Vec::new();
    for runs in positions.values().filter(|runs| (2..=COMMON).contains(&runs.len())) {
        for (k, &second) in runs.iter().enumerate() {
            let firsts =
                runs[..k].iter().filter(|&&first| before(first) != before(second) || before(first).is_none());
            pairs.extend(firsts.map(|&first| [first, second]));
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_stands_twice_is_one_pair() {
        let run = "let a = 1;\n\nlet b = 2;\n// Why.\nlet c = 3;\n}\nlet d = 4;\nlet e = 5;\nlet f = 6;\nlet g = 7;\n";
        let indented = run.replace("let", "    let");
        let files = [
            format!("fn f() {{\n{run}}}\n"),
            format!("fn g() {{\n{indented}x();\n}}\n"),
            "let a = 1;".into(),
        ];
        let files = files.map(|text: String| RustFile::new("lib.rs", text));
        let found = pairs(&files.each_ref().map(lines));
        assert_eq!(found, [[(0, 1), (1, 1)]]);
    }
}
