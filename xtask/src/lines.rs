//! `cargo xtask lines`: how much code a small program must compile for itself.
//!
//! The time of a rebuild depends on the machine; the count of LLVM lines does not, so that is what the
//! gate looks at. Whatever is generic over the backend is compiled again by every program.

use crate::{Outcome, process, workspace};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A 30-line program: forward, loss, backward and a step on a stack of backends.
pub(crate) const PROGRAMS: [&str; 3] = ["mlp_leaf", "mlp_autodiff", "mlp_fusion"];

/// Profile of the programs and the crates below them.
const PROFILE: &str = "xtask/lines.toml";

/// The package of the programs.
pub(crate) const PACKAGE: &str = "build-loop";

/// The largest stack may cost this many lines. It takes 61,680.
const GATE: usize = 62_000;

pub(crate) fn run() -> Outcome {
    let mut largest = 0;
    for program in PROGRAMS {
        let functions = functions_of(program)?;
        let total: usize = functions.values().map(|function| function.lines).sum();
        let copies: usize = functions.values().map(|function| function.copies).sum();
        println!("{program:14} {total:>7} LLVM lines in {copies} functions");
        largest = largest.max(total);
        if program == "mlp_fusion" {
            print_largest(&functions);
        }
    }
    if largest > GATE {
        return Err(format!(
            "{largest} LLVM lines, the gate is {GATE}: something generic is no longer a shell"
        ));
    }
    println!("gate: {largest} of {GATE}");
    Ok(())
}

#[derive(Default)]
struct Function {
    lines: usize,
    copies: usize,
}

/// Compiles the program to LLVM code before any optimisation and counts it. Incremental builds inline less.
fn functions_of(program: &str) -> Outcome<HashMap<String, Function>> {
    let mut command = process::cargo(&["rustc", "--config", PROFILE, "--quiet", "--package", PACKAGE]);
    command.args(["--features", "shared", "--example", program, "--", "--emit=llvm-ir", "-Copt-level=3"]);
    command.args(["-Cno-prepopulate-passes", "-Ccodegen-units=1", "-Cdebuginfo=0"]);
    command.env("CARGO_INCREMENTAL", "0");
    process::output(&mut command)?;
    Ok(count(&workspace::read(&newest(&workspace::target().join("debug/examples"), program)?)?))
}

fn newest(folder: &Path, program: &str) -> Outcome<PathBuf> {
    let entries = fs::read_dir(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let files = entries.flatten().filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.strip_prefix(program).is_some_and(|rest| rest.starts_with('-')) && name.ends_with(".ll")
    });
    let newest = files.max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok());
    newest.map(|entry| entry.path()).ok_or(format!("no LLVM code of {program} in {}", folder.display()))
}

/// Lines of instructions inside function bodies: those with two spaces of indent. Labels have none,
/// and the continuation of a long instruction has more.
fn count(text: &str) -> HashMap<String, Function> {
    let mut functions: HashMap<String, Function> = HashMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("define ") {
            let name = name_of(header);
            functions.entry(name.clone()).or_default().copies += 1;
            current = Some(name);
        } else if line == "}" {
            current = None;
        } else if let Some(name) = &current
            && line.starts_with("  ")
            && !line.starts_with("   ")
        {
            functions.get_mut(name).expect("inserted at its header").lines += 1;
        }
    }
    functions
}

fn name_of(header: &str) -> String {
    let name = header.split_once('@').map_or(header, |(_, rest)| rest);
    name.split_once('(').map_or(name, |(name, _)| name).trim_matches('"').to_string()
}

fn print_largest(functions: &HashMap<String, Function>) {
    let mut largest: Vec<_> = functions.iter().collect();
    largest.sort_by_key(|(name, function)| (std::cmp::Reverse(function.lines), name.as_str()));
    for (name, function) in largest.iter().take(8) {
        println!("  {:>6}  {:.120}", function.lines, format!("{:#}", rustc_demangle::demangle(name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_instructions_inside_bodies_count() {
        let text = "declare void @other()\n  outside\ndefine internal i64 @\"a b\"(i64 %x) #0 {\nstart:\n  \
                    %y = add i64 %x, 1\n  switch i64 %y, label %l [\n    i64 0, label %m\n  ]\n  ret i64 %y\n}\n";
        let functions = count(text);
        assert_eq!(functions.len(), 1);
        assert_eq!(functions["a b"].lines, 4);
        assert_eq!(functions["a b"].copies, 1);
    }
}
