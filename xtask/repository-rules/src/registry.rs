//! Documents name no crate of ours by a version: until they are published, the crates of these names in the
//! registry are of others.

use crate::lines::each_line;
use repository::Findings;
use repository::packages::packages;
use repository::workspace::{files, read, relative};

/// The manifests that the book includes.
const MANIFESTS: &str = "burn-book/dependencies.toml";

/// Files that show such lines: this one, and the specification, which says what holds after a release.
const EXEMPT: [&str; 2] = [file!(), "docs/specification"];

pub(crate) fn find() -> Findings {
    let packages = packages()?;
    let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for path in files(&["md", "rs", "toml"]) {
        let file = relative(&path);
        if file.ends_with("Cargo.toml") || EXEMPT.iter().any(|exempt| file.starts_with(exempt)) {
            continue;
        }
        let found =
            each_line(&read(&path)?, |line| is_of_registry(line, &names).then(|| line.trim().to_string()));
        findings.extend(found.into_iter().map(|(line, dependency)| {
            format!("{file}:{line}: `{dependency}` is a crate of others; include {MANIFESTS}")
        }));
    }
    Ok(findings)
}

/// Whether a line adds one of our crates from the registry.
fn is_of_registry(line: &str, names: &[&str]) -> bool {
    if let Some((_, added)) = line.split_once("cargo add ") {
        let mut words = added.split([' ', '`']).take_while(|word| !word.is_empty());
        return words.all(|word| word != "--path" && word != "--git") && names.contains(&first_name(added));
    }
    // In documentation too.
    let line = line.trim_start_matches([' ', '/', '!', '*', '`']);
    let Some((name, value)) = line.split_once('=') else { return false };
    let is_ours = names.contains(&name.trim().trim_matches('"'));
    let value = value.trim_start();
    let has_version = value.starts_with('"') || (value.starts_with('{') && value.contains("version"));
    is_ours && has_version && !value.contains("path") && !value.contains("git")
}

fn first_name(added: &str) -> &str {
    added.split([' ', '`', '@']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The manifests of the book name crates and features that there are, by paths from a project beside the
    /// clone.
    #[test]
    fn the_manifests_of_the_book_name_crates_and_features_that_there_are() {
        let text = read(MANIFESTS).unwrap();
        let packages = packages().unwrap();
        let mut found = 0;
        for line in text.lines() {
            let Some((name, value)) = line.split_once(" = { path = \"../burn/") else { continue };
            let package = packages.iter().find(|package| package.name == name).expect(line);
            let (path, options) = value.split_once('"').expect(line);
            assert_eq!(relative(&package.folder).trim_end_matches('/'), path, "{line}");
            let features = options.split_once("features = [").map_or("", |(_, features)| features);
            for feature in features.split('"').skip(1).step_by(2) {
                assert!(package.features.iter().any(|other| other == feature), "{line}: {feature}");
            }
            found += 1;
        }
        assert!(found >= 8, "{found} dependencies");
    }

    #[test]
    fn crates_of_ours_by_version_are_refused() {
        let is_refused = |line| is_of_registry(line, &["burn", "burn-import"]);
        for line in [
            "cargo add burn",
            "| `cargo add burn --features train` | a dependency |",
            "$ cargo add burn@0.1",
            "burn = \"0.1\"",
            "burn = { version = \"0.1\", features = [\"train\"] }",
            "/// burn-import = { version = \"0.1\" }",
        ] {
            assert!(is_refused(line), "{line}");
        }
        for line in [
            "cargo add --path ../burn/crates/burn",
            "cargo add burn --path ../burn/crates/burn",
            "cargo add serde",
            "burn = { path = \"../burn/crates/burn\" }",
            "burn = { workspace = true }",
            "serde = \"1\"",
            "let burn = \"text\".len();",
        ] {
            assert!(!is_refused(line), "{line}");
        }
    }
}
