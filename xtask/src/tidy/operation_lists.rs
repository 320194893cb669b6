//! Few files list the operations: each of them is edited for every new one.

use super::Findings;
use super::source::code;
use crate::workspace::rust_files;
use std::collections::HashSet;

/// Files outside of `burn-ir` that may name [`MANY`] or more operations: the leaves, the rules of gradients,
/// the compositions, the two of the export to ONNX, and the list of the conformance suite.
const FILES: usize = 9;

/// Number of operations from which on a file lists them.
const MANY: usize = 40;

pub(super) fn find() -> Findings {
    let variants = variants()?;
    if variants.len() < MANY {
        return Ok(vec![format!("crates/burn-ir/src/family: found only {} operations", variants.len())]);
    }
    let mut lists = Vec::new();
    for (name, text) in rust_files(|name| !name.starts_with("crates/burn-ir/"))? {
        let code = code(&text);
        let words: HashSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let count = variants.iter().filter(|variant| words.contains(variant.as_str())).count();
        if count >= MANY {
            lists.push(format!("{name}: names {count} operations"));
        }
    }
    if lists.len() <= FILES {
        return Ok(Vec::new());
    }
    let title = format!("{} files list the operations, at most {FILES} may", lists.len());
    Ok([title].into_iter().chain(lists).collect())
}

/// The variants of all families.
fn variants() -> Findings {
    let families = rust_files(|name| name.starts_with("crates/burn-ir/src/family/"))?;
    Ok(families.iter().flat_map(|(_, text)| variants_of(&code(text))).collect())
}

/// The variants of the enum after `#[operands(family)]`.
fn variants_of(code: &str) -> Vec<String> {
    let Some((_, behind)) = code.split_once("#[operands(family)]") else { return Vec::new() };
    let body = behind.split_once("\n}").map_or(behind, |(body, _)| body);
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let names = lines.filter(|line| line.starts_with(char::is_uppercase));
    names.map(|line| line.chars().take_while(|c| c.is_alphanumeric()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_every_form_are_found() {
        let code = "#[operands(family)]\npub enum Order<T> {\n    #[operands(outputs = 2)]\n    Sort { x: T },\n    \
                    TopK(Box<T>),\n}\n\npub enum Other {\n    No,\n}";
        assert_eq!(variants_of(code), ["Sort", "TopK"]);
        assert_eq!(variants().unwrap().len(), 58);
    }
}
