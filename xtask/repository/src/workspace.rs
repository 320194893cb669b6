//! Root and files of the workspace.

use crate::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the root manifest.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let root = here.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    root.expect("a package lies in the workspace").to_path_buf()
}

/// Returns the files with one of these extensions, without build results and hidden folders, in order.
pub fn files(extensions: &[&str]) -> Vec<PathBuf> {
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
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|own| extension == *own)) {
            found.push(path);
        }
    }
}

/// Returns the text of a file, by its path or from the root of the workspace.
pub fn read(path: impl AsRef<Path>) -> Outcome<String> {
    let path = path.as_ref();
    fs::read_to_string(root().join(path)).map_err(|cause| format!("{}: {cause}", relative(path)))
}

/// Returns a path as people write it: from the root of the workspace, with forward slashes.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Returns the folder in which cargo puts what it builds.
pub fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}
