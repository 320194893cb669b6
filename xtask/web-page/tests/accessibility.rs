//! The list of violations that pages are checked for finds each of them, and nothing in a page without any.
//! axe-core, where it is there, agrees.

use serde_json::Value;
use std::path::Path;
use web_page::{Chromium, Graphics, Server, accessibility_files, assert_accessible};

const WITH_AXE: bool = cfg!(feature = "test-axe");

/// Violations of our list, and the rules of axe-core that the same page breaks.
const EXPECTED: &[(&str, &[&str], &[&str])] = &[
    ("head", &["the page has no language", "the page has no title"], &["document-title", "html-has-lang"]),
    ("zoom", &["the page cannot be enlarged"], &["meta-viewport"]),
    (
        "landmark",
        &["the page has 0 main landmarks", "\"A\" is in no landmark"],
        &["landmark-one-main", "region"],
    ),
    (
        "headings",
        &[
            "the page does not begin with its only heading of level 1",
            "a heading of level 3 follows one of level 1",
        ],
        &["heading-order"],
    ),
    (
        "names",
        &[
            "button has no name",
            "input#b has no name",
            "select has no name",
            "canvas has no name",
            "img has no alternative text",
        ],
        &["button-name", "image-alt", "label", "role-img-alt", "select-name"],
    ),
    ("order", &["button changes the order of the tab key"], &["tabindex"]),
    ("identifiers", &["two elements have the id a", "for of label names c, which is not there"], &[]),
    (
        "contrast",
        &[
            "\"4.48\" has a contrast of 4.48",
            "\"2.96\" has a contrast of 2.96",
            "\"on grey\" has a contrast of 1.44",
            "\"drawn\" has a contrast of 2.32",
        ],
        &["color-contrast"],
    ),
];

#[test]
fn each_violation_is_found_and_nothing_in_a_page_without_any() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accessibility.html");
    std::fs::copy(page, folder.path().join("index.html")).expect("copied");
    for file in accessibility_files(WITH_AXE).unwrap_or_else(|error| panic!("{error}")) {
        std::fs::copy(&file, folder.path().join(file.file_name().expect("a file"))).expect("copied");
    }
    let server = Server::start(folder.path(), 0).expect("a free port");
    let chromium = Chromium::find(Graphics::None).unwrap_or_else(|error| panic!("{error}"));
    let found = chromium.report(&server, "/index.html").unwrap_or_else(|error| panic!("{error}"));
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_accessible(&found["none"], WITH_AXE);
    for (page, own, axe) in EXPECTED {
        assert_eq!(found[page]["own"], serde_json::json!(own), "{page}");
        let rules = found[page]["axe"].as_array().map(|violations| {
            let rule = |text: &Value| text.as_str().and_then(|text| text.split(':').next()).map(String::from);
            violations.iter().filter_map(rule).collect::<Vec<_>>()
        });
        let expected = WITH_AXE.then(|| axe.iter().map(|rule| rule.to_string()).collect());
        assert_eq!(rules, expected, "{page}");
    }
}
