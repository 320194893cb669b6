//! Where a generated model finds the record with its weights. A path of the machine that generated it is none
//! of the source's business.

use proc_macro2::TokenStream;
use quote::quote;
use std::path::{Component, Path};

/// Path of the record without its extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordPath {
    /// In `OUT_DIR` of the package that includes the source.
    OutDir(String),
    /// In the folder of the package that includes the source.
    Package(String),
    /// From the folder in which the program runs.
    WorkingDirectory(String),
}

impl RecordPath {
    /// The path of a record that a build script writes.
    pub fn in_out_dir(record: &Path, out_dir: &Path) -> Self {
        match record.strip_prefix(out_dir) {
            Ok(inner) => RecordPath::OutDir(joined(inner)),
            Err(_) => RecordPath::in_package(record),
        }
    }

    /// The path of a record that is written elsewhere: from the next folder with a `Cargo.toml` above it, if
    /// there is one.
    pub fn in_package(record: &Path) -> Self {
        let absolute = std::path::absolute(record).unwrap_or_else(|_| record.to_path_buf());
        let package = absolute.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").is_file());
        match package.and_then(|package| absolute.strip_prefix(package).ok()) {
            Some(inner) => RecordPath::Package(joined(inner)),
            None if record.is_relative() => RecordPath::WorkingDirectory(joined(record)),
            None => RecordPath::WorkingDirectory(
                record.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            ),
        }
    }

    /// The path as an expression.
    pub fn tokens(&self) -> TokenStream {
        match self {
            RecordPath::OutDir(path) => {
                let path = format!("/{path}");
                quote!(concat!(env!("OUT_DIR"), #path))
            }
            RecordPath::Package(path) => {
                let path = format!("/{path}");
                quote!(concat!(env!("CARGO_MANIFEST_DIR"), #path))
            }
            RecordPath::WorkingDirectory(path) => quote!(#path),
        }
    }
}

/// A relative path with the separator that every system reads.
fn joined(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let parts: Vec<String> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_no_folder_of_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("src/model/digits");
        let found = RecordPath::in_out_dir(&record, &folder.path().join("src"));
        assert_eq!(found, RecordPath::OutDir("model/digits".into()));
        assert_eq!(found.tokens().to_string(), quote!(concat!(env!("OUT_DIR"), "/model/digits")).to_string());
        assert_eq!(RecordPath::in_package(&record), RecordPath::WorkingDirectory("digits".into()));
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(RecordPath::in_package(&record), RecordPath::Package("src/model/digits".into()));
        let other = RecordPath::in_out_dir(&record, Path::new("elsewhere"));
        assert_eq!(other, RecordPath::Package("src/model/digits".into()));
    }
}
