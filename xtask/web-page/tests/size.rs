//! The pages with small networks, built as users load them, stay below 1,100 kB over the wire.

use std::path::{Path, PathBuf};
use web_page::{Page, Profile};

/// Builds the page of an example and prints its size.
#[track_caller]
fn is_small(package: &str) {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(package).join("web");
    let entries = web.read_dir().unwrap_or_else(|error| panic!("{}: {error}", web.display()));
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let page = Page { package, features: &[], files: &files, profile: Profile::Small };
    page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    match page.check_size(folder.path()) {
        Ok(size) => println!("{package}: {} kB, compressed", size / 1000),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_page_that_reads_digits_is_at_most_1100_kb() {
    is_small("mnist-inference-web");
}

#[test]
fn the_page_that_trains_is_at_most_1100_kb() {
    is_small("training-web");
}
