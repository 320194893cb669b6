//! Few files list the operations: each of them is edited for every new one.

use crate::lines::at_most;
use repository::{Findings, RustFile, name_at, words};
use std::collections::HashSet;

/// Files outside of `burn-ir` that may name [`MANY`] or more operations: the leaves, the rules of gradients,
/// the compositions, the two of the export to ONNX, and the list of the conformance suite.
const FILES: usize = 9;

/// Number of operations from which on a file lists them.
const MANY: usize = 40;

pub(crate) fn find(files: &[RustFile]) -> Findings {
    let variants = variants(files);
    if variants.len() < MANY {
        return Ok(vec![format!("crates/burn-ir/src/family: found only {} operations", variants.len())]);
    }
    let others = files.iter().filter(|file| !file.name.starts_with("crates/burn-ir/"));
    let named = others.map(|file| {
        let words: HashSet<&str> = words(&file.code).map(|(_, word)| word).collect();
        (&file.name, variants.iter().filter(|variant| words.contains(*variant)).count())
    });
    let lists = named.filter(|(_, count)| *count >= MANY);
    at_most(
        FILES,
        lists.map(|(name, count)| format!("{name}: names {count} operations")).collect(),
        |count| format!("{count} files list the operations, at most {FILES} may"),
    )
}

/// The variants of all families.
fn variants(files: &[RustFile]) -> Vec<&str> {
    let families = files.iter().filter(|file| file.name.starts_with("crates/burn-ir/src/family/"));
    families.flat_map(|file| variants_of(&file.code)).collect()
}

/// The variants of the enum after `#[operands(family)]`.
fn variants_of(code: &str) -> impl Iterator<Item = &str> {
    let (_, after) = code.split_once("#[operands(family)]").unwrap_or_default();
    let body = after.split_once("\n}").map_or(after, |(body, _)| body);
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter(|line| line.starts_with(char::is_uppercase)).map(name_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_every_form_are_found() {
        let code = "#[operands(family)]\npub enum Order<T> {\n    #[operands(outputs = 2)]\n    Sort { x: T },\n    \
                    TopK(Box<T>),\n}\n\npub enum Other {\n    No,\n}";
        assert!(variants_of(code).eq(["Sort", "TopK"]));
        let files = repository::rust_files(|name| name.starts_with("crates/burn-ir/")).unwrap();
        // A struct variant, a boxed one, and one behind a feature.
        assert!(["Matmul", "LayerNorm", "Bilinear"].iter().all(|name| variants(&files).contains(name)));
    }
}
