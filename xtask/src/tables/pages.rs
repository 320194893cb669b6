use crate::{Outcome, workspace};
use std::fs;

/// Generated pages, and the problems of their sources.
pub(super) struct Tables {
    /// Pages by path.
    pub(super) pages: Vec<(&'static str, String)>,
    /// Problems in the documentation that the pages are made from.
    pub(super) findings: Vec<String>,
}

/// Returns the Rust files below a folder: their places in it, without the extension, and their texts.
pub(super) fn sources_below(folder: &str) -> Outcome<Vec<(String, String)>> {
    let folder = workspace::root().join(folder);
    let paths = workspace::files(&["rs"]).into_iter().filter(|path| path.starts_with(&folder));
    let mut files = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let place = path.strip_prefix(&folder).expect("it is below").with_extension("");
        files.push((place.to_string_lossy().replace('\\', "/"), text));
    }
    Ok(files)
}
