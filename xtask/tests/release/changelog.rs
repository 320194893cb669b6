use super::read;

/// Sections of a version, in their order.
const SECTIONS: [&str; 5] = ["Added", "Changed", "Fixed", "Removed", "Performance"];

/// A heading of a release, `VERSION - DATE`.
fn release(heading: &str) -> Result<[u64; 3], String> {
    let wrong = || format!("expected `## VERSION - YYYY-MM-DD`, found `## {heading}`");
    let (version, date) = heading.split_once(" - ").ok_or_else(wrong)?;
    let lengths: Vec<usize> = date.split('-').map(str::len).collect();
    if lengths != [4, 2, 2] || date.contains(|c: char| !c.is_ascii_digit() && c != '-') {
        return Err(wrong());
    }
    let numbers: Result<Vec<u64>, _> = version.split('.').map(str::parse).collect();
    numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(wrong)
}

/// Checks that a changelog begins with what is not released, then has the releases, the newest first, each
/// with its sections.
fn check(changelog: &str, version: &str) -> Result<(), String> {
    let mut versions = Vec::new();
    let mut sections: Vec<usize> = Vec::new();
    for line in changelog.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            match (heading, versions.is_empty()) {
                ("Unreleased", true) => versions.push([u64::MAX; 3]),
                (_, true) => return Err("expected `## Unreleased` first".to_string()),
                (heading, false) => versions.push(release(heading)?),
            }
            sections.clear();
        } else if let Some(section) = line.strip_prefix("### ") {
            let at = SECTIONS.iter().position(|other| *other == section);
            let at = at.ok_or_else(|| format!("section `{section}`: expected one of {SECTIONS:?}"))?;
            if sections.last().is_some_and(|last| *last >= at) {
                return Err(format!("section `{section}`: expected the order {SECTIONS:?}, each once"));
            }
            sections.push(at);
        }
    }
    if !versions.is_sorted_by(|newer, older| newer > older) {
        return Err(format!("expected the newest version first, found {versions:?}"));
    }
    let own = release(&format!("{version} - 2000-01-01"))?;
    match versions.get(1) {
        Some(newest) if *newest > own => {
            Err(format!("{newest:?} is released, and the manifests have {version}"))
        }
        _ => Ok(()),
    }
}

#[test]
fn x_702_the_changelog_has_headings_of_releases_and_their_sections() {
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    check(&read("CHANGELOG.md"), version.expect("the workspace has a version"))
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_changelog_that_no_release_can_be_made_from_is_found() {
    let good =
        "## Unreleased\n### Added\n### Fixed\n## 0.2.0 - 2027-01-31\n### Added\n## 0.1.0 - 2026-12-01\n";
    assert_eq!(check(good, "0.2.0"), Ok(()));
    assert!(check(good, "0.1.0").unwrap_err().contains("the manifests have 0.1.0"));
    for (text, error) in [
        ("## 0.1.0 - 2026-12-01\n", "`## Unreleased` first"),
        ("## Unreleased\n## 0.1.0\n", "found `## 0.1.0`"),
        ("## Unreleased\n## 0.1.0 - 1 December\n", "found `## 0.1.0 - 1 December`"),
        ("## Unreleased\n## 0.1.0 - 2026-12-01\n## 0.2.0 - 2027-01-31\n", "the newest version first"),
        ("## Unreleased\n### Fixed\n### Added\n", "expected the order"),
        ("## Unreleased\n### Earlier\n", "section `Earlier`"),
    ] {
        assert!(check(text, "0.2.0").unwrap_err().contains(error), "{text}");
    }
}
