//! `cargo xtask new-op`: the files that a new operation touches.

use crate::Outcome;

/// The compiler names every place of these lists that is forgotten (E0004).
const CHECKLIST: &str = "\
A new function that an operation chooses from, such as a unary function:
  1. burn-ir       src/unary.rs        the variant with its definition in the doc comment, its name, the
                                       dtypes it accepts, and its float64 value
  2. every leaf    the family's kernel    one arm
  3. burn-autodiff src/rules/unary.rs  what the rule saves, and the derivative: one to three lines
  4. burn-tensor   the family's methods   the method, with an example in its doc comment
  5. burn-onnx     src/export/lower/unary.rs  the operators of ONNX that it is written as
  6. CHANGELOG.md                      one line
  Decorators, the conformance sweep and the wire protocol take it up from the enum.

A new operation, such as a convolution, is a variant of a family:
  1. burn-ir       src/family/<family>.rs  the variant, its name, its properties, its inference; arguments of
                   several fields are a struct with #[derive(Operands)]
  2. burn-ir       src/infer/<family>.rs   the inference, where it is longer than a line
  3. burn-backend  src/reference/decompose.rs and <family>.rs  a composition of other operations, if there is one
  4. every leaf    src/execute.rs and the family's kernel  one arm, which may call `decompose`
  5. burn-autodiff src/rules/mod.rs and <family>.rs  what the rule saves, and the gradients
  6. burn-tensor   the family's methods
  7. burn-onnx     src/export/lower/step.rs and <family>.rs, src/export/step_numbers.rs
  8. burn-conformance  src/operations/list.rs: a line; src/operations/<family>.rs: cases, definition, gradients,
                   random and large calls
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
