//! Which tests of the crates of GPUs a run leaves out, read from its command lines and the manifests.

use crate::Outcome;
use crate::packages::{list, metadata, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::process::Command;

/// Package that GPU kernels are written with: packages that depend on it, directly or through others, are GPU
/// packages.
const KERNELS: &str = "cubecl";

/// Prints a line `left out: ...` for each package of GPUs that has tests which none of these calls of cargo
/// runs.
pub(crate) fn print(commands: &[Command]) -> Outcome {
    let packages = gpu_packages(&metadata()?);
    let selections: Vec<Selection> =
        commands.iter().map(|command| Selection::of(command.get_args(), &packages)).collect();
    lines(&packages, &selections).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// A package, and all that `cargo test` runs of it.
struct Package {
    name: String,
    is_default: bool,
    /// Options that select each of its suites alone: `--lib`, `--test NAME`, `--doc`.
    suites: Vec<String>,
}

fn gpu_packages(metadata: &Value) -> Vec<Package> {
    let all = list(&metadata["packages"]);
    let mut names = BTreeSet::from([KERNELS]);
    let needs = |package: &Value, names: &BTreeSet<&str>| {
        let mut needed = list(&package["dependencies"]).iter().filter(|needed| needed["optional"] != true);
        needed.any(|needed| names.contains(text(needed, "name")))
    };
    let is_next = |package: &&Value, names: &BTreeSet<&str>| {
        !names.contains(text(package, "name")) && needs(package, names)
    };
    while let Some(package) = all.iter().find(|package| is_next(package, &names)) {
        names.insert(text(package, "name"));
    }
    let default = list(&metadata["workspace_default_members"]);
    let of_gpus = all.iter().filter(|package| names.contains(text(package, "name")));
    let read = |package: &Value| Package {
        name: text(package, "name").to_string(),
        is_default: default.contains(&package["id"]),
        suites: suites(list(&package["targets"])),
    };
    of_gpus.map(read).collect()
}

fn suites(targets: &[Value]) -> Vec<String> {
    let of_kind = |kind: &'static str| {
        targets.iter().filter(move |target| list(&target["kind"]).iter().any(|own| own == kind))
    };
    let library = |key: &'static str| of_kind("lib").filter(move |target| target[key] == true);
    let mut tests: Vec<String> =
        of_kind("test").map(|target| format!("--test {}", text(target, "name"))).collect();
    tests.sort();
    let own = library("test").map(|_| "--lib".to_string());
    own.chain(tests).chain(library("doctest").map(|_| "--doc".to_string())).collect()
}

/// Tests selected by one call of `cargo test`.
#[derive(Default)]
struct Selection {
    packages: BTreeSet<String>,
    /// Options that select suites, and `--tests`; everything runs if there is none.
    suites: BTreeSet<String>,
    /// Texts that names of tests must not contain, and of which they must contain one.
    skipped: Vec<String>,
    wanted: Vec<String>,
}

impl Selection {
    fn of<'a>(arguments: impl Iterator<Item = &'a OsStr>, packages: &[Package]) -> Self {
        let mut chosen = Selection::default();
        let arguments = arguments.map(|word| word.to_string_lossy().into_owned());
        let mut words = arguments.skip_while(|word| word != "test").skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--package" | "-p" => chosen.packages.extend(words.next()),
                "--test" => chosen.suites.extend(words.next().map(|name| format!("--test {name}"))),
                "--lib" | "--doc" => _ = chosen.suites.insert(word),
                "--tests" => chosen.suites.extend([word, "--lib".to_string()]),
                "--skip" => chosen.skipped.extend(words.next()),
                "--features" | "--test-threads" => drop(words.next()),
                other if !other.starts_with('-') => chosen.wanted.push(word),
                _ => {}
            }
        }
        if chosen.packages.is_empty() {
            let default = packages.iter().filter(|package| package.is_default);
            chosen.packages = default.map(|package| package.name.clone()).collect();
        }
        chosen
    }

    fn runs(&self, package: &Package, suite: &str) -> bool {
        let is_among_tests = suite.starts_with("--test ") && self.suites.contains("--tests");
        let is_chosen = self.suites.is_empty() || self.suites.contains(suite) || is_among_tests;
        is_chosen && self.packages.contains(&package.name)
    }
}

/// The name of a suite in the lines.
fn title(suite: &str) -> &str {
    match suite {
        "--lib" => "the library's own",
        "--doc" => "documentation",
        test => test.trim_start_matches("--test "),
    }
}

fn lines(packages: &[Package], selections: &[Selection]) -> Vec<String> {
    let mut lines = Vec::new();
    for package in packages {
        let is_run = |suite: &&String| selections.iter().any(|selection| selection.runs(package, suite));
        let missing = package.suites.iter().filter(|suite| !is_run(suite));
        let missing: Vec<&str> = missing.map(|suite| title(suite)).collect();
        if !missing.is_empty() {
            let (name, missing) = (&package.name, missing.join(", "));
            lines.push(format!("left out: tests of {name}: {missing} (cargo test --package {name})"));
        }
        let running = selections
            .iter()
            .filter(|selection| package.suites.iter().any(|suite| selection.runs(package, suite)));
        for selection in running {
            let skipped = selection.skipped.iter().map(|text| format!("with `{text}` in their names"));
            let wanted = selection.wanted.join("` or `");
            let wanted = (!wanted.is_empty()).then(|| format!("without `{wanted}` in their names"));
            lines.extend(
                skipped.chain(wanted).map(|which| format!("left out: tests of {} {which}", package.name)),
            );
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, needs: Value, targets: Value) -> Value {
        json!({"id": name, "name": name, "dependencies": needs, "targets": targets})
    }

    fn small_workspace() -> Value {
        let lib = json!({"name": "a", "kind": ["lib"], "test": true, "doctest": true});
        let test = |name: &str| json!({"name": name, "kind": ["test"], "test": true, "doctest": false});
        json!({
            "workspace_default_members": ["facade"],
            "packages": [
                package("example", json!([{"name": "leaf", "optional": false}]), json!([test("shown")])),
                package("leaf", json!([{"name": "cubecl", "optional": false}]), json!([lib, test("one"), test("two")])),
                package("facade", json!([{"name": "leaf", "optional": true}]), json!([test("spec")])),
            ]
        })
    }

    fn left_out(commands: &[&str]) -> Vec<String> {
        let packages = gpu_packages(&small_workspace());
        let selections =
            commands.iter().map(|line| Selection::of(line.split(' ').map(OsStr::new), &packages));
        lines(&packages, &selections.collect::<Vec<_>>())
    }

    #[test]
    fn packages_of_this_workspace_are_found_by_what_they_need() {
        let packages = gpu_packages(&metadata().unwrap());
        let has = |name| packages.iter().any(|package| package.name == name && !package.is_default);
        for name in ["burn-cubecl", "burn-cuda", "burn-rocm", "burn-wgpu", "custom-wgpu-kernel"] {
            assert!(has(name), "{name}");
        }
        assert!(!has("burn"), "its GPUs are optional");
    }

    #[test]
    fn packages_without_a_default_command_are_left_out_by_it() {
        assert_eq!(
            left_out(&["test"]),
            [
                "left out: tests of example: shown (cargo test --package example)",
                "left out: tests of leaf: the library's own, one, two, documentation (cargo test --package leaf)",
            ]
        );
        assert!(left_out(&["test --package leaf -p example --features leaf"]).is_empty());
    }

    #[test]
    fn several_commands_run_what_each_of_them_chooses() {
        let first = "test --package leaf --package example --lib --test two --test shown";
        let second = "test --package leaf --doc -- --test-threads 2";
        let left_out = left_out(&[first, second]);
        assert_eq!(left_out, ["left out: tests of leaf: one (cargo test --package leaf)"]);
    }

    #[test]
    fn filters_of_names_are_told() {
        assert_eq!(
            left_out(&["test -p leaf -p example -- --nocapture --skip slow:: quick"]),
            [
                "left out: tests of example with `slow::` in their names",
                "left out: tests of example without `quick` in their names",
                "left out: tests of leaf with `slow::` in their names",
                "left out: tests of leaf without `quick` in their names",
            ]
        );
    }
}
