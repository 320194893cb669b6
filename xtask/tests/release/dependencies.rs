//! The checks of `cargo deny`, without it: `deny.toml` says what is allowed.

use super::{cargo, read};
use repository::packages::text;
use serde_json::Value;
use spdx::{Expression, ParseMode};
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

/// Packages, and the crates that cargo compiles for each with its default features, itself among them.
/// `.ci/run` prints them. The numbers only get smaller: a new crate needs a reason, or a feature.
const CRATES: [(&str, usize); 2] = [("burn", 88), ("guide", 140)];

#[test]
fn the_default_build_has_no_more_crates() {
    for (package, most) in CRATES {
        let edges = if package == "guide" { "normal,build,dev" } else { "normal,build" };
        let tree =
            cargo(&["tree", "--locked", "--package", package, "--edges", edges, "--prefix=none"]).stdout;
        let tree = String::from_utf8(tree).expect("text");
        let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(" (").next()).collect();
        assert!(crates.contains(format!("{package} v{}", env!("CARGO_PKG_VERSION")).as_str()), "{tree}");
        assert!(
            crates.len() <= most,
            "{package} has {} crates, at most {most} may be: {crates:#?}",
            crates.len()
        );
    }
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

/// Whether the choices that a licence expression leaves contain one of allowed licences only.
fn is_allowed(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = Expression::parse_mode(expression, ParseMode::LAX).expect(expression);
    expression.evaluate(|licence| allowed(&licence.to_string()))
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
        assert!(is_allowed(licence, &is_listed), "{name}: {licence}");
    }
    let used =
        |(name, _): &&(String, String)| locked().iter().any(|block| value(block, "name") == Some(name));
    assert_eq!(exceptions.iter().filter(used).count(), exceptions.len(), "an exception is no longer needed");
}
