//! `cargo xtask new-op`: the files that a new operation touches.

use crate::Outcome;

/// The compiler names every place of these lists that is forgotten (E0004).
const CHECKLIST: &str = "\
A new function that an operation chooses from, such as a unary function:
  1. burn-ir       src/unary.rs        the variant with its definition in the doc comment, its name, the
                                       dtypes it accepts, and its float64 value
  2. every leaf    the family's kernel    one arm
  3. burn-autodiff src/rules/unary.rs  what the rule saves, and the derivative: one to three lines
  4. burn-tensor   src/unary.rs        the method, with an example in its doc comment
  5. burn-onnx     src/export/lower/unary.rs  the operators of ONNX that it is written as
  6. burn-conformance  src/tolerance.rs, where it is less exact than others; src/operations/<family>.rs, where
                   it has cases of its own
  7. CHANGELOG.md                      one line
  Decorators, the conformance sweep and the wire protocol take it up from the enum.

A new operation, such as a convolution, is a variant of a family:
  1. burn-ir       src/family/<family>.rs  the variant, its name, its properties, its inference; arguments of
                   several fields are a struct with #[derive(Operands)]
  2. burn-ir       src/infer/<family>.rs   the inference, where it is longer than a line
  3. burn-backend  src/reference/decompose.rs and <family>.rs  a composition of other operations, if there is one
  4. every leaf    src/execute.rs and the family's kernel  one arm, which may call `decompose`
  5. burn-autodiff src/rules/mod.rs and src/rules/<family>.rs  what the rule saves, and the gradients
  6. burn-tensor   src/<family>.rs or src/module/<family>.rs  the method or the function
  7. burn-onnx     src/export/lower/step.rs and <family>.rs, src/export/step_numbers.rs
  8. burn-conformance  src/operations/list.rs: a line; src/operations/<family>.rs: cases, definition, gradients,
                   random and large calls; src/known_gaps.rs, where a leaf lacks some
  9. CHANGELOG.md

Where the compiler cannot help:
  - the `ALL` list of the functions: a test compares it with an exhaustive match
  - the tables of operations in the book: `cargo xtask tables`
  - `PROTOCOL` of burn-remote: one more if a variant does not stand behind the others

Then: cargo xtask check && cargo xtask test";

pub(crate) fn run() -> Outcome {
    println!("{CHECKLIST}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::CHECKLIST;
    use repository::{RustFile, rust_files};
    use std::collections::BTreeMap;

    const LEAVES: [&str; 4] = ["burn-ndarray", "burn-candle", "burn-tch", "burn-cubecl"];

    /// Asserts that the files which name an operation are in the list, at most `most` of them outside of
    /// leaves, and two of each leaf.
    fn assert_listed(operation: &str, most: usize) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (mut files, mut of_leaves) = (Vec::new(), BTreeMap::new());
        for RustFile { name: path, code, .. } in
            rust_files(|name| name.starts_with("crates/") && name.contains("/src/")).unwrap()
        {
            let (package, file) = path["crates/".len()..].split_once('/').unwrap();
            if !code.split(|c| !is_word(c)).any(|word| word == operation) {
                continue;
            }
            if LEAVES.contains(&package) {
                *of_leaves.entry(package.to_string()).or_insert(0) += 1;
                continue;
            }
            let of_family = format!("{}/<family>.rs", file.rsplit_once('/').unwrap().0);
            let is_listed = CHECKLIST.contains(file) || CHECKLIST.contains(&of_family);
            assert!(CHECKLIST.contains(package) && is_listed, "{path} is not in the list");
            files.push(path);
        }
        assert!(files.len() > 4 && files.len() <= most, "{operation}: {files:?}");
        assert!(
            of_leaves.len() == LEAVES.len() && of_leaves.values().all(|count| *count <= 2),
            "{of_leaves:?}"
        );
    }

    #[test]
    fn the_list_has_the_files_of_a_unary_function() {
        assert_listed("ExpM1", 8);
    }

    #[test]
    fn the_list_has_the_files_of_an_irregular_operation() {
        assert_listed("Interpolate", 10);
    }
}
