use crate::{Chromium, Graphics, Page, Profile, Server, accessibility_files};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Builds a page for tests, with the files that check its accessibility beside `files`, which are named from
/// `root`, the folder of the package.
///
/// # Panics
/// The library does not compile, or a file cannot be read or written.
#[track_caller]
pub fn test_page(package: &str, root: &str, files: &[&str], features: &[&str], with_axe: bool) -> TempDir {
    let mut files: Vec<PathBuf> = files.iter().map(|name| Path::new(root).join(name)).collect();
    files.extend(accessibility_files(with_axe).unwrap_or_else(|error| panic!("{error}")));
    let folder = tempfile::tempdir().expect("a folder");
    let page = Page { package, features, files: &files, profile: Profile::Dev };
    page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    folder
}

/// Opens `address` of the page in `folder` in Chromium, and returns what it reports.
///
/// # Panics
/// There is no Chromium, or the page sends an error or no JSON.
#[track_caller]
pub fn report(folder: &Path, address: &str, graphics: Graphics) -> Value {
    let server = Server::start(folder, 0).expect("a free port");
    let chromium = Chromium::find(graphics).unwrap_or_else(|error| panic!("{error}"));
    let report = chromium.report(&server, address).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"))
}
