//! Root and files of the workspace.

use crate::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the root manifest.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    here.parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The files with one of these extensions, without build results and hidden folders, in order.
pub(crate) fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(&root(), extensions, &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            let is_built =
                path.join("CACHEDIR.TAG").exists() || (name == "book" && folder.join("book.toml").exists());
            if !is_built && !name.starts_with('.') && name != "target" {
                walk(&path, extensions, found);
            }
        } else if path
            .extension()
            .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
        {
            found.push(path);
        }
    }
}

/// Returns the text of a file, by its path or from the root of the workspace.
pub(crate) fn read(path: impl AsRef<Path>) -> Outcome<String> {
    let path = path.as_ref();
    fs::read_to_string(root().join(path)).map_err(|cause| format!("{}: {cause}", relative(path)))
}

/// Names and texts of the Rust files whose names are wanted, in order.
pub(crate) fn rust_files(is_wanted: impl Fn(&str) -> bool) -> Outcome<Vec<(String, String)>> {
    let mut found = Vec::new();
    for path in files(&["rs"]) {
        let name = relative(&path);
        if is_wanted(&name) {
            found.push((name, read(path)?));
        }
    }
    Ok(found)
}

/// Whether a person wrote the file of this name, and not a program.
pub(crate) fn is_written(name: &str) -> bool {
    !name.contains("/generated/") && !name.contains("/folded/")
}

/// A path as people write it: from the root of the workspace, with forward slashes.
pub(crate) fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}
