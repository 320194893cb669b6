use crate::Error;
use pip_package::PipFile;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// axe-core 4, which finds violations of the Web Content Accessibility Guidelines, under the MPL 2.0.
const AXE: PipFile =
    PipFile { package: "axe-playwright-python", size: "0.2 MB", path: "axe_playwright_python/axe.min.js" };

/// Returns the files that a page needs to be checked: `accessibility.js`, whose function `check` returns the
/// violations in a frame by our own list, and axe-core if `with_axe` is set, which is fetched at the first
/// run, by pip.
///
/// # Errors
/// axe-core cannot be fetched.
pub fn accessibility_files(with_axe: bool) -> Result<Vec<PathBuf>, Error> {
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/accessibility.js")];
    if with_axe {
        files.push(AXE.path(None, &mut |text| println!("{text}"))?);
    }
    Ok(files)
}

/// Compares what `check` of `accessibility.js` returned with that of a page without violations.
///
/// # Panics
/// There is a violation, or axe-core did not look though it should.
#[track_caller]
pub fn assert_accessible(found: &Value, with_axe: bool) {
    let axe = if with_axe { serde_json::json!([]) } else { Value::Null };
    assert_eq!(*found, serde_json::json!({ "own": [], "axe": axe }));
}
