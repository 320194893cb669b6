//! Which tests of the crates of GPUs a run leaves out, read from its command lines and the manifests.

use crate::{Outcome, packages};
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
    let packages = gpu_packages(&packages::metadata()?);
    let selections: Vec<Selection> =
        commands.iter().map(|command| Selection::of(command.get_args(), &packages)).collect();
    lines(&packages, &selections).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// A package, and all that `cargo test` runs of it.
struct Package {
    name: String,
    is_default: bool,
    suites: Vec<Suite>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Suite {
    Lib,
    Integration(String),
    Documentation,
}

impl Suite {
    fn name(&self) -> &str {
        match self {
            Suite::Lib => "the library's own",
            Suite::Integration(name) => name,
            Suite::Documentation => "documentation",
        }
    }
}

fn gpu_packages(metadata: &Value) -> Vec<Package> {
    let all = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let needs = |package: &Value| -> BTreeSet<String> {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let needed = dependencies.filter(|dependency| dependency["optional"] != true);
        needed.filter_map(|dependency| dependency["name"].as_str().map(String::from)).collect()
    };
    let mut names = BTreeSet::from([KERNELS.to_string()]);
    while let Some(package) = all.iter().find(|package| {
        !names.contains(package["name"].as_str().unwrap_or_default()) && !needs(package).is_disjoint(&names)
    }) {
        names.insert(package["name"].as_str().unwrap_or_default().to_string());
    }
    let default = metadata["workspace_default_members"].as_array().map_or(&[][..], Vec::as_slice);
    let of_gpus = all.iter().filter(|package| names.contains(package["name"].as_str().unwrap_or_default()));
    of_gpus.map(|package| read(package, default.contains(&package["id"]))).collect()
}

fn read(package: &Value, is_default: bool) -> Package {
    let mut suites = Vec::new();
    for target in package["targets"].as_array().into_iter().flatten() {
        let is =
            |kind: &str| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|own| own == kind));
        let name = target["name"].as_str().unwrap_or_default().to_string();
        if is("test") {
            suites.push(Suite::Integration(name));
        } else if is("lib") {
            suites.extend((target["test"] == true).then_some(Suite::Lib));
            suites.extend((target["doctest"] == true).then_some(Suite::Documentation));
        }
    }
    suites.sort();
    Package { name: package["name"].as_str().unwrap_or_default().to_string(), is_default, suites }
}

/// Tests selected by one call of `cargo test`.
#[derive(Default)]
struct Selection {
    packages: BTreeSet<String>,
    /// Whether everything runs: nothing is selected by `--lib` and the like.
    is_whole: bool,
    suites: BTreeSet<Suite>,
    has_all_integration_tests: bool,
    /// Texts that names of tests must not contain, and of which they must contain one.
    skipped: Vec<String>,
    wanted: Vec<String>,
}

impl Selection {
    fn of<'a>(arguments: impl Iterator<Item = &'a OsStr>, packages: &[Package]) -> Self {
        let mut chosen = Selection { is_whole: true, ..Selection::default() };
        let arguments = arguments.map(|word| word.to_string_lossy().into_owned());
        let mut words = arguments.skip_while(|word| word != "test").skip(1);
        while let Some(word) = words.next() {
            chosen.is_whole &= !["--test", "--tests", "--lib", "--doc"].contains(&word.as_str());
            match word.as_str() {
                "--package" | "-p" => chosen.packages.extend(words.next()),
                "--test" => chosen.suites.extend(words.next().map(Suite::Integration)),
                "--lib" => chosen.suites.extend([Suite::Lib]),
                "--doc" => chosen.suites.extend([Suite::Documentation]),
                "--tests" => {
                    chosen.suites.extend([Suite::Lib]);
                    chosen.has_all_integration_tests = true;
                }
                "--skip" => chosen.skipped.extend(words.next()),
                "--features" | "--test-threads" => drop(words.next()),
                word if !word.starts_with('-') => chosen.wanted.push(word.to_string()),
                _ => {}
            }
        }
        if chosen.packages.is_empty() {
            let default = packages.iter().filter(|package| package.is_default);
            chosen.packages = default.map(|package| package.name.clone()).collect();
        }
        chosen
    }

    fn runs(&self, package: &Package, suite: &Suite) -> bool {
        let is_integration = matches!(suite, Suite::Integration(_));
        let is_chosen = self.suites.contains(suite) || is_integration && self.has_all_integration_tests;
        self.packages.contains(&package.name) && (self.is_whole || is_chosen)
    }
}

fn lines(packages: &[Package], selections: &[Selection]) -> Vec<String> {
    let mut lines = Vec::new();
    for package in packages {
        let is_run = |suite: &&Suite| selections.iter().any(|selection| selection.runs(package, suite));
        let missing: Vec<&str> =
            package.suites.iter().filter(|suite| !is_run(suite)).map(Suite::name).collect();
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

    fn metadata() -> Value {
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

    fn left_out(commands: &[&[&str]]) -> Vec<String> {
        let packages = gpu_packages(&metadata());
        let selections = commands.iter().map(|words| Selection::of(words.iter().map(OsStr::new), &packages));
        lines(&packages, &selections.collect::<Vec<_>>())
    }

    #[test]
    fn packages_of_this_workspace_are_found_by_what_they_need() {
        let packages = gpu_packages(&packages::metadata().unwrap());
        let has = |name| packages.iter().any(|package| package.name == name && !package.is_default);
        for name in ["burn-cubecl", "burn-cuda", "burn-rocm", "burn-wgpu", "custom-wgpu-kernel"] {
            assert!(has(name), "{name}");
        }
        assert!(!has("burn"), "its GPUs are optional");
    }

    #[test]
    fn packages_without_a_default_command_are_left_out_by_it() {
        assert_eq!(
            left_out(&[&["test"]]),
            [
                "left out: tests of example: shown (cargo test --package example)",
                "left out: tests of leaf: the library's own, one, two, documentation (cargo test --package leaf)",
            ]
        );
        assert!(
            left_out(&[&["test", "--package", "leaf", "-p", "example", "--features", "leaf"]]).is_empty()
        );
    }

    #[test]
    fn several_commands_run_what_each_of_them_chooses() {
        let first = [
            "test",
            "--package",
            "leaf",
            "--package",
            "example",
            "--lib",
            "--test",
            "two",
            "--test",
            "shown",
        ];
        let second = ["test", "--package", "leaf", "--doc", "--", "--test-threads", "2"];
        assert_eq!(
            left_out(&[&first, &second]),
            ["left out: tests of leaf: one (cargo test --package leaf)"]
        );
    }

    #[test]
    fn filters_of_names_are_told() {
        let words = ["test", "-p", "leaf", "-p", "example", "--", "--nocapture", "--skip", "slow::", "quick"];
        assert_eq!(
            left_out(&[&words]),
            [
                "left out: tests of example with `slow::` in their names",
                "left out: tests of example without `quick` in their names",
                "left out: tests of leaf with `slow::` in their names",
                "left out: tests of leaf without `quick` in their names",
            ]
        );
    }
}
