//! The checks of `cargo deny`, without it: `deny.toml` says what is allowed.

use super::{cargo, read, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks of `Cargo.lock`, each a package.
fn locked() -> Vec<String> {
    read("Cargo.lock").split("[[package]]\n").skip(1).map(String::from).collect()
}

fn value<'a>(package: &'a str, key: &str) -> Option<&'a str> {
    let line = package.lines().find(|line| line.split(" = ").next() == Some(key))?;
    line.split('"').nth(1)
}

#[test]
fn x_702_every_dependency_is_of_the_workspace_or_of_the_registry() {
    const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
    for package in locked() {
        if let Some(source) = value(&package, "source") {
            assert_eq!(source, REGISTRY, "{package}");
            assert!(value(&package, "checksum").is_some(), "{package}");
        }
    }
}

/// Crates that are built in several versions. The list only gets shorter: a new name needs a reason.
#[test]
fn x_702_crates_in_several_versions_are_listed() {
    let mut versions = BTreeMap::<String, usize>::new();
    for package in locked() {
        *versions.entry(value(&package, "name").expect("a name").to_string()).or_default() += 1;
    }
    versions.retain(|_, number| *number > 1);
    let list = include_str!("duplicates.txt").lines().filter(|line| !line.starts_with('#'));
    let listed: BTreeMap<String, usize> = list
        .map(|line| {
            let (name, number) = line.split_once(' ').expect("a name and a number");
            (name.to_string(), number.parse().expect("a number"))
        })
        .collect();
    assert_eq!(versions, listed);
}

/// The list `allow`, and what is allowed for one crate.
fn allowed() -> (BTreeSet<String>, Vec<(String, String)>) {
    let deny = read("deny.toml");
    let list = deny.split("\nallow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
    let exceptions = deny.lines().filter(|line| line.contains("allow = [\"") && line.contains("crate = "));
    let exceptions = exceptions.map(|line| {
        let of = |key: &str| line.split(key).nth(1).and_then(|rest| rest.split('"').nth(1)).expect("text");
        (of("crate = ").to_string(), of("allow = ").to_string())
    });
    (list.split('"').skip(1).step_by(2).map(String::from).collect(), exceptions.collect())
}

/// Whether the choices that a licence expression leaves contain one of allowed licences only. `/` is an old
/// form of `OR`.
fn is_allowed(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = expression.trim();
    for (operator, any) in [(" OR ", true), (" AND ", false)] {
        let parts = split(expression, operator);
        if parts.len() > 1 {
            let mut parts = parts.into_iter().map(|part| is_allowed(part, allowed));
            return if any { parts.any(|part| part) } else { parts.all(|part| part) };
        }
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => is_allowed(inner, allowed),
        None => allowed(expression),
    }
}

/// Splits at an operator outside of parentheses.
fn split<'a>(expression: &'a str, operator: &str) -> Vec<&'a str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in expression.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 && at >= begin && expression[at..].starts_with(operator) => {
                parts.push(&expression[begin..at]);
                begin = at + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[begin..]);
    parts
}

#[test]
fn x_702_expressions_of_licences_are_understood() {
    let mit = |licence: &str| licence == "MIT" || licence == "Zlib";
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("MIT AND Zlib", true),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("(GPL-3.0 AND MIT) OR ISC", false),
        ("ISC OR MIT AND GPL-3.0", false),
    ] {
        assert_eq!(is_allowed(expression, &mit), expected, "{expression}");
    }
}

/// Covers the packages that this system builds: metadata of other systems are downloads.
#[test]
fn x_702_licences_of_dependencies_are_on_the_list() {
    let version = std::process::Command::new("rustc").arg("-vV").output().expect("rustc starts").stdout;
    let version = String::from_utf8(version).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let metadata = cargo(&["metadata", "--locked", "--format-version=1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let (list, exceptions) = allowed();
    let foreign = metadata["packages"].as_array().expect("packages").iter();
    let foreign: Vec<&Value> = foreign.filter(|package| !package["source"].is_null()).collect();
    assert!(foreign.len() > 100, "only {} dependencies", foreign.len());
    for package in foreign {
        let (name, licence) = (text(package, "name"), text(package, "license"));
        let is_exception = |licence: &str| exceptions.iter().any(|(of, what)| of == name && what == licence);
        let is_listed = |licence: &str| list.contains(licence) || is_exception(licence);
        assert!(
            is_allowed(&licence.replace(" / ", "/").replace('/', " OR "), &is_listed),
            "{name}: {licence}"
        );
    }
    let used =
        |(name, _): &&(String, String)| locked().iter().any(|block| value(block, "name") == Some(name));
    assert_eq!(exceptions.iter().filter(used).count(), exceptions.len(), "an exception is no longer needed");
}
