//! A file is named after what is in it.

use repository::Findings;
use repository::workspace::{files, relative, root};
use std::fs;

/// Names that say nothing about what a file holds.
const FORBIDDEN: [&str; 8] = ["utils", "util", "helpers", "helper", "common", "base", "misc", "types"];

/// Words of our own, instead of which a file has the term of the field: `process_exit` and not `ending`.
const PRIVATE_WORDS: [&str; 17] = [
    "apart", "caught", "cause", "declined", "ending", "lost", "meeting", "mended", "places", "planes",
    "role", "scores", "skinny", "stretch", "team", "told", "winners",
];

/// Most files in the root of a crate of kernels; the others are in folders by what they do.
const ROOT_FILES: [(&str, usize); 2] = [("burn-cubecl", 5), ("burn-ndarray", 10)];

pub(crate) fn find() -> Findings {
    let paths = files(&["rs"]).into_iter().map(|path| relative(&path));
    let unclear = paths.filter(|path| is_unclear(path));
    let mut findings: Vec<String> =
        unclear.map(|path| format!("{path}: name it after what is in it")).collect();
    for (name, most) in ROOT_FILES {
        let folder = root().join("crates").join(name).join("src");
        let entries = fs::read_dir(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
        let files = entries.filter_map(Result::ok).filter(|entry| entry.path().is_file()).count();
        if files > most {
            findings.push(format!("crates/{name}/src: {files} files, at most {most}: put them into folders"));
        }
    }
    Ok(findings)
}

fn is_unclear(path: &str) -> bool {
    let mut parts = path.trim_end_matches(".rs").split('/');
    let is_private = |name: &str| path.contains("/src/") && PRIVATE_WORDS.contains(&name);
    parts.clone().any(|part| FORBIDDEN.contains(&part)) || parts.next_back().is_some_and(is_private)
}
