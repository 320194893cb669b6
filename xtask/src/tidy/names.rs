//! A file is named after what is in it.

use super::Findings;
use crate::workspace::{files, relative};

/// Names that say nothing about what a file holds.
const FORBIDDEN: [&str; 8] = ["utils", "util", "helpers", "helper", "common", "base", "misc", "types"];

pub(super) fn find() -> Findings {
    let paths = files(&["rs"]).into_iter().map(|path| relative(&path));
    let says_nothing =
        |path: &String| path.trim_end_matches(".rs").split('/').any(|part| FORBIDDEN.contains(&part));
    Ok(paths.filter(says_nothing).map(|path| format!("{path}: name it after what is in it")).collect())
}
