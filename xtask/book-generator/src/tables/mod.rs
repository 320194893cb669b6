//! `cargo xtask tables`: the tables of the book that say what operations, layers, losses, optimizers and
//! schedulers are called in PyTorch.
//!
//! The one source is the documentation of the public functions of `burn-tensor`, and of the public types of
//! `burn-nn` and `burn-optim`: its sentence ``PyTorch: `torch.x`.``, or `PyTorch has no counterpart.`. A
//! function with neither is a mistake, and so is a page that the sources no longer give.

mod alias;
mod counterpart;
mod layers;
mod operation;
mod operations;
mod page;
mod pages;
mod rustdoc;

use crate::book;
use operation::Operation;
use pages::Tables;
use repository::rustdoc_json::{PACKAGES, with_json};
use repository::{Outcome, process, workspace};
use rustdoc::Crate;
use std::fs;

const SOURCES: &str = "crates/burn-tensor/src";
const PAGE: &str = "burn-book/src/tensor/operations.md";

/// Documents the packages whose documentation names PyTorch.
pub(crate) fn document() -> Outcome {
    let mut doc = process::cargo(&["doc", "--no-deps", "--quiet"]);
    process::run(with_json(doc.args(PACKAGES.iter().flat_map(|name| ["--package", name])))?)
}

/// Writes the tables.
pub(crate) fn write() -> Outcome {
    let Tables { pages, findings } = tables()?;
    for (path, page) in pages {
        let file = workspace::root().join(path);
        fs::write(file, &page).map_err(|cause| format!("{path}: {cause}"))?;
        println!("{path}: {} rows", page.lines().filter(|line| line.starts_with("| `")).count());
    }
    // Chapters have the tables written into them.
    book::expand()?;
    match findings.len() {
        0 => Ok(()),
        count => Err(format!("{}\n{count} findings", findings.join("\n"))),
    }
}

/// Fails where a page is not what the documentation says, or where the documentation lacks something.
pub(crate) fn check() -> Outcome {
    let Tables { pages, mut findings } = tables()?;
    for (path, page) in pages {
        if fs::read_to_string(workspace::root().join(path)).unwrap_or_default() != page {
            findings.push(format!("{path} is not what the sources say: run `cargo xtask tables`"));
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

fn tables() -> Outcome<Tables> {
    let mut crates = Vec::new();
    for package in PACKAGES {
        crates.push(Crate::read(package)?);
    }
    let [tensor, nn, optim, core] = &crates[..] else { unreachable!("four packages were read") };
    let operations = operations::read(tensor);
    let mut tables = layers::tables(nn, optim, core)?;
    tables.pages.insert(0, (PAGE, page::write(&operations)));
    tables.findings.extend(silent(&operations));
    tables.findings.extend(infallible(&operations));
    tables.findings.extend(crates.iter().flat_map(alias::missing));
    Ok(tables)
}

fn silent(operations: &[Operation]) -> Vec<String> {
    let silent = operations.iter().filter(|operation| operation.counterpart.is_none());
    silent
        .map(|operation| {
            let Operation { file, name, .. } = operation;
            format!(
                "{SOURCES}/{file}.rs: `{name}` needs \"PyTorch: `..`.\" or \"PyTorch has no counterpart.\""
            )
        })
        .collect()
}

/// Operations without a form `try_..`: what they return has the elements of an operand, and takes no memory
/// of its own.
const SHARING: [&str; 12] = [
    "from_handle",
    "from_inner",
    "from_primitive",
    "detach",
    "grad",
    "grad_remove",
    "inner",
    "into_dyn",
    // The numbers of a quantized tensor take memory: that is `dequantize`, which comes first where it may
    // fail.
    "into_handle",
    "into_tensor",
    "new",
    "rename",
];

/// Every other operation can want more memory than there is, and has a form that gives that error as a value
/// (decision 8).
fn infallible(operations: &[Operation]) -> Vec<String> {
    let found = operations.iter().filter(|operation| {
        operation.gives_tensors && !operation.is_fallible && !SHARING.contains(&operation.name.as_str())
    });
    found
        .map(|Operation { file, name, .. }| {
            format!("{SOURCES}/{file}.rs: `{name}` takes memory for its result and has no form `try_{name}`")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A difference to PyTorch is about an operation that there is.
    #[test]
    fn departures_name_operations_that_there_are() {
        let page = |name: &str| {
            fs::read_to_string(workspace::root().join("burn-book/src/tensor").join(name)).unwrap()
        };
        let (departures, operations) = (page("departures.md"), page("operations.md"));
        let calls = departures.lines().filter(|line| line.starts_with("| ")).skip(1);
        let names: Vec<&str> = calls
            .filter_map(|line| line.split('|').nth(1))
            .flat_map(|call| call.split('`').skip(1).step_by(2))
            .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
            .collect();
        assert!(names.len() >= 6, "{names:?}");
        for name in names {
            assert!(operations.contains(&format!("| `{name}` |")), "there is no operation {name}");
        }
    }

    #[test]
    fn bo_010_the_tables_of_equivalents_are_in_the_book() {
        let page = fs::read_to_string(workspace::root().join(PAGE)).unwrap();
        for title in [
            "Creation",
            "every kind",
            "Numeric",
            "Float",
            "Int",
            "Bool",
            "Gradients",
            "`activation`",
            "`module`",
        ] {
            let heading = |line: &str| line.starts_with("## ") && line.contains(title);
            assert!(page.lines().any(heading), "no table of {title}");
        }
        let summary = fs::read_to_string(workspace::root().join("burn-book/src/SUMMARY.md")).unwrap();
        assert!(summary.contains(PAGE.trim_start_matches("burn-book/src/")));
    }
}
