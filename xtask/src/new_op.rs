//! `cargo xtask new-op`: the places that a new operation touches.

use crate::Outcome;

/// The compiler names every place of the first list that is forgotten (E0004, E0046).
const CHECKLIST: &str = "\
A new function of an existing family, such as a unary function (about 10 lines):
  1. burn-ir       src/<family>.rs     the variant with its definition in the doc comment, its name, the
                                       dtypes it accepts, and its float64 value where the family has one
  2. burn-ndarray  the family's kernel one arm; likewise in every other leaf
  3. burn-autodiff src/rules/<family>.rs  what the rule saves, and the derivative: one to three lines
  4. burn-tensor   the family's methods   the method, with an example in its doc comment
  5. burn-onnx     src/export/lower/<family>.rs  the operators of ONNX that it is written as
  6. CHANGELOG.md                      one line
  Nothing else: decorators, the conformance sweep and the wire protocol take it up from the enum.

A new irregular operation, such as a convolution, adds to these:
  1. burn-ir       the args struct with map, by_ref and visit in the same operand order; the variant of
                   `Operation`; shape and dtype inference in `output_specs`
  2. burn-backend  the method of `Backend` (no default body), its arm in `dispatch`, its line in the
                   adapter from calls to values; a reference when it is a composite
  3. burn-autodiff src/rules/differentiability.rs  which of its operands get a gradient, and why the others do not
  4. burn-fusion, burn-amp  src/role.rs  what it is to fusion, and to mixed precision
  5. burn-conformance  cases with values from an independent source

Where the compiler cannot help:
  - the `ALL` list of the family: a test compares it with an exhaustive match
  - the tables of operations in the book: `cargo xtask tables`
  - `PROTOCOL` of burn-remote: one more if a variant does not stand behind the others

Then: cargo xtask check && cargo xtask test";

pub(crate) fn run() -> Outcome {
    println!("{CHECKLIST}");
    Ok(())
}
