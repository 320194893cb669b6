//! `cargo xtask new-op`: the files that a new operation touches.

use crate::Outcome;

/// The compiler names every place of these lists that is forgotten (E0004).
const CHECKLIST: &str = "\
A new function that an operation chooses from, such as a unary function:
  1. burn-ir       src/<family>.rs (unary, binary, compare)  the variant with its definition in the doc
                   comment, its name, the dtypes it accepts, and its float64 value
  2. every leaf    the family's kernel    one arm
  3. burn-autodiff src/rules/<family>.rs  what the rule saves, and the derivative: one to three lines
  4. burn-tensor   src/<family>.rs     the method, with an example in its doc comment
  5. burn-onnx     src/export/lower/<family>.rs  the operators of ONNX that it is written as
  6. burn-conformance  src/tolerance.rs, where it is less exact than others; src/operations/<family>.rs, where
                   it has cases of its own
  7. CHANGELOG.md                      one line
  Decorators, the conformance sweep and the wire protocol take it up from the enum.

A new operation, such as a convolution, is a variant of a family:
  1. burn-ir       src/family/<family>.rs  the variant, its name, its properties, its inference; arguments of
                   several fields are a struct with #[derive(Operands)] in src/<family>.rs (src/linalg/<family>.rs),
                   which src/lib.rs exports; src/operand_access.rs, where it is elementwise
  2. burn-ir       src/infer/<family>.rs   the inference, where it is longer than a line
  3. burn-backend  src/reference/decompose.rs and src/reference/<family>.rs  a composition of others, if there is one
  4. every leaf    src/execute.rs and the family's kernel  one arm, which may call `decompose`
  5. burn-autodiff src/rules/mod.rs and src/rules/<family>.rs  what the rule saves, and the gradients
  6. burn-tensor   src/<family>.rs or src/module/<family>.rs  the method or the function
  7. burn-onnx     src/export/lower/step.rs and <family>.rs, src/export/step_numbers.rs;
                   src/tape/recorder.rs, where it has indices
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
    use repository::{RustFile, name_at, rust_files};

    const LEAVES: [&str; 5] =
        ["burn-ndarray", "burn-candle", "burn-tch", "burn-cubecl", "burn-cubecl-linalg"];

    fn sources() -> Vec<RustFile> {
        rust_files(|name| name.starts_with("crates/") && name.contains("/src/")).unwrap()
    }

    /// The name of the first enum of a file, and its variants.
    fn variants(file: &RustFile) -> (&str, Vec<&str>) {
        let (_, after) = file.code.split_once("\npub enum ").unwrap();
        let lines =
            after.lines().take_while(|line| *line != "}").filter_map(|line| line.strip_prefix("    "));
        (name_at(after), lines.filter(|line| line.starts_with(char::is_uppercase)).map(name_at).collect())
    }

    /// Whether the compiler or a test asks a file for a variant: it has an arm for it, or lists it.
    fn is_asked(file: &RustFile, (family, variant): (&str, &str)) -> bool {
        if !file.code.contains(variant) {
            return false;
        }
        let is_bare =
            [format!("{family}::*"), format!("enum {family} ")].iter().any(|name| file.code.contains(name));
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let is_arm = |(at, _)| {
            let (before, rest) = (&file.code[..at], &file.code[at + variant.len()..]);
            let is_named = match before.strip_suffix("::") {
                Some(path) => {
                    let name = path.rsplit(|c| !is_part(c)).next();
                    name == Some(family) || is_bare && name == Some("Self")
                }
                None => is_bare && !before.ends_with(is_part),
            };
            is_named && is_pattern(rest)
        };
        file.code.contains(&format!(" {variant} = {family},")) || file.code.match_indices(variant).any(is_arm)
    }

    /// Whether an arm, another pattern or a guard follows the path of a variant and its fields.
    fn is_pattern(rest: &str) -> bool {
        let mut depth = 0;
        let after = rest.trim_start_matches(|c| {
            depth += i32::from(['(', '{'].contains(&c)) - i32::from([')', '}'].contains(&c));
            depth > 0 || [')', '}', ',', ' ', '\n'].contains(&c)
        });
        ["=>", "| ", "if "].iter().any(|next| after.starts_with(next))
    }

    /// Asserts that the files of an operation are in the list, at most `most` of them outside of leaves, and
    /// `of_leaf` of each leaf.
    fn assert_listed(operation: &str, files: Vec<&RustFile>, most: usize, of_leaf: usize) {
        let paths = files.into_iter().map(|file| file.name["crates/".len()..].split_once('/').unwrap());
        let (leaves, others): (Vec<_>, Vec<_>) = paths.partition(|(package, _)| LEAVES.contains(package));
        for leaf in LEAVES {
            let count = leaves.iter().filter(|(package, _)| *package == leaf).count();
            // As steps of blocks, these two have bounds on their values too.
            let more = usize::from(leaf == "burn-ndarray" && ["Unary", "Clamp"].contains(&operation));
            assert!(count <= of_leaf + more, "{operation}: {leaves:?}");
        }
        for (package, file) in &others {
            let of_family = format!("{}/<family>.rs", file.rsplit_once('/').unwrap().0);
            let is_listed = CHECKLIST.contains(file) || CHECKLIST.contains(&of_family);
            assert!(
                CHECKLIST.contains(package) && is_listed,
                "{operation}: {package}/{file} is not in the list"
            );
        }
        assert!((2..=most).contains(&others.len()), "{operation}: {others:?}");
    }

    /// Returns the number of operations in a file or folder of `burn-ir`, whose files are in the list.
    fn count_listed(of: &str, most: usize, of_leaf: usize) -> usize {
        let sources = sources();
        let is_chosen = |file: &&RustFile| {
            file.name.starts_with(&format!("crates/burn-ir/src/{of}")) && !file.name.ends_with("mod.rs")
        };
        let chosen = sources.iter().filter(is_chosen).map(variants);
        let all =
            chosen.flat_map(|(family, variants)| variants.into_iter().map(move |variant| (family, variant)));
        let all = all.filter(|(_, variant)| !["Cube", "Bilinear"].contains(variant)); // Counted below.
        let files = |call| sources.iter().filter(|file| is_asked(file, call)).collect();
        all.map(|call| assert_listed(call.1, files(call), most, of_leaf)).count()
    }

    #[test]
    fn the_list_has_the_files_of_every_operation() {
        assert!(count_listed("family/", 10, 2) >= 60, "not all operations were found");
    }

    #[test]
    fn the_list_has_the_files_of_every_elementwise_function() {
        let functions = ["unary.rs", "binary.rs", "compare.rs"];
        assert_eq!(functions.map(|file| count_listed(file, 8, 3)), [34, 17, 6]);
    }

    /// Decorators pass the operations of this feature on, as `xtask/new-operation-probe` tests.
    #[test]
    fn the_list_has_the_files_of_the_probe() {
        let sources = sources();
        let probe = sources.iter().filter(|file| file.text.contains("feature = \"test-operation\""));
        for (name, most) in [("Cube", 8), ("Bilinear", 10)] {
            assert_listed(name, probe.clone().filter(|file| file.code.contains(name)).collect(), most, 2);
        }
    }
}
