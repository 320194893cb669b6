//! The pages on the CPU backend, built as users load them, stay below 600 kB over the wire, and those without
//! weights have the kernels that they need: other tests build all pages at once, with the features of all.

use serde_json::Value;
use std::path::{Path, PathBuf};
use web_page::{Chromium, Graphics, Page, Profile, Server};

/// Builds the page of an example in a folder and prints its size.
fn small_page(package: &str, profile: Profile) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(package).join("web");
    let entries = web.read_dir().unwrap_or_else(|error| panic!("{}: {error}", web.display()));
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    let page = Page { package, features: &[], files: &files, profile };
    page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    let size = page.check_size(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    println!("{package}: {} kB, compressed", size / 1000);
    folder
}

/// Opens a page, and returns what it reports.
fn report(folder: &Path, address: &str) -> Value {
    let server = Server::start(folder, 0).expect("a free port");
    let chromium = Chromium::find(Graphics::None).unwrap_or_else(|error| panic!("{error}"));
    let report = chromium.report(&server, address).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"))
}

#[test]
fn the_page_that_reads_digits_is_at_most_600_kb_and_reads_a_seven() {
    let folder = small_page("mnist-inference-web", Profile::Small);
    let found = report(folder.path(), "/?strokes=70,50,186,50,150,120,115,210;90,130,180,130");
    assert_eq!(found["digit"].as_u64(), Some(7), "{found}");
}

/// The loss of a network that knows nothing is ln 2, as both classes are as frequent.
#[test]
fn the_page_that_trains_is_at_most_600_kb_and_trains() {
    let folder = small_page("training-web", Profile::Small);
    let found = report(folder.path(), "/?steps=100");
    let losses: Vec<f64> =
        found["losses"].as_array().expect("losses").iter().flat_map(Value::as_f64).collect();
    assert_eq!(losses.len(), 100);
    assert!((losses[0] - 2_f64.ln()).abs() < 0.2, "{}", losses[0]);
    assert!(losses[99] < losses[0], "{} after {}", losses[99], losses[0]);
}

#[test]
fn the_page_that_classifies_pictures_is_at_most_600_kb() {
    small_page("image-classification-web", Profile::FastKernels);
}
