//! The results of a test split in the page of the run.

use super::html::{escape, page};
use crate::logger::LogError;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const BEGIN: &str = "<!-- test -->\n";
const END: &str = "<!-- end of test -->\n";

/// The part of a page in which results will be.
pub(super) fn empty() -> String {
    format!("{BEGIN}{END}")
}

/// Writes results, their names and texts, into a page, in place of earlier ones; where there is no page, one
/// with nothing else.
///
/// # Errors
/// If the page cannot be read or written.
pub(crate) fn add_test_results(path: &Path, results: &[(String, String)]) -> Result<(), LogError> {
    let io = |source| LogError::Io { path: path.to_path_buf(), source };
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => page("Test results", &empty()),
        text => text.map_err(io)?,
    };
    let parts = text.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let Some((head, tail)) = parts else {
        let reason = "expected a report of a run, found no part for test results";
        return Err(io(std::io::Error::new(ErrorKind::InvalidData, reason)));
    };
    let text = format!("{head}{BEGIN}{}{END}{tail}", section(results));
    burn_io::write_atomic(path, &mut |file: &mut dyn std::io::Write| file.write_all(text.as_bytes()))
        .map_err(io)
}

fn section(results: &[(String, String)]) -> String {
    let mut section = "<h2>Test</h2>\n<table class=\"facts\">\n".to_string();
    for (name, text) in results {
        let _ = writeln!(section, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(text));
    }
    section.push_str("</table>\n");
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(value: &str) -> [(String, String); 2] {
        [("Items".into(), "359".into()), ("F<1>".into(), value.into())]
    }

    #[test]
    fn results_replace_earlier_ones_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        fs::write(&path, format!("before\n{}after\n", empty())).unwrap();
        add_test_results(&path, &results("98.1 %")).unwrap();
        add_test_results(&path, &results("98.6 % & more")).unwrap();
        let page = fs::read_to_string(&path).unwrap();
        assert!(page.starts_with("before\n") && page.ends_with("after\n"), "{page}");
        assert!(page.contains("<tr><th>F&lt;1&gt;</th><td>98.6 % &amp; more</td></tr>"), "{page}");
        assert!(page.contains("<td>359</td>") && !page.contains("98.1"), "{page}");
    }

    #[test]
    fn a_page_of_something_else_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        fs::write(&path, "<p>other").unwrap();
        let error = add_test_results(&path, &results("")).unwrap_err().to_string();
        assert!(error.contains("report.html: expected a report of a run"), "{error}");
        fs::remove_file(&path).unwrap();
        add_test_results(&path, &results("98.1 %")).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("<title>Test results</title>"));
    }
}
