//! Tables of the book, from the data that the suite runs on.

use crate::programs::{DEPARTURES, Departure};
use crate::{Family, Gap, Input, known_gaps, operations};
use burn_backend::{DType, Operation, output_specs};
use std::fmt::Write as _;

/// Backends of the table, with the gaps that their tests are given.
const BACKENDS: [(&str, &[Gap]); 9] = [
    ("NdArray", known_gaps::NDARRAY),
    ("Candle", known_gaps::CANDLE),
    ("LibTorch", known_gaps::LIBTORCH),
    ("Autodiff<NdArray>", known_gaps::NDARRAY),
    ("Fusion<NdArray>", known_gaps::NDARRAY),
    ("Router<(NdArray, Toy)>", known_gaps::NDARRAY),
    ("Remote over NdArray", known_gaps::NDARRAY),
    ("Dynamic over NdArray", known_gaps::NDARRAY),
    ("minimal backend", known_gaps::MINIMAL),
];

/// Element types that a backend keeps as another one, which it has.
const STORED: [(&str, DType, DType); 7] = [
    ("Candle", DType::I8, DType::I16),
    ("Candle", DType::U64, DType::I64),
    ("Candle", DType::U16, DType::U32),
    ("Candle", DType::Bool, DType::U8),
    ("LibTorch", DType::U64, DType::I64),
    ("LibTorch", DType::U32, DType::I64),
    ("LibTorch", DType::U16, DType::I32),
];

/// Markdown: element types and operations by backend, and the reasons of what is missing. `gradient` says to
/// which operands of an operation gradients flow.
pub fn table(gradient: impl Fn(&Operation<Input>) -> String) -> String {
    let mut notes: Vec<&'static str> = Vec::new();
    let mut text = String::from(
        "<!-- Generated: cargo run -p burn-conformance --example support-table > burn-book/src/support-table.md -->\n\n",
    );
    let names: Vec<String> = BACKENDS.iter().map(|(name, _)| format!("`{name}`")).collect();
    writeln!(text, "Backends: {}.\n", names.join(", ")).expect("a string takes all");
    text.push_str("### Element types\n\nA backend has a type under its own name where the row does not name the backend.\n\n");
    text.push_str("| element type | differences |\n|---|---|\n");
    for dtype in DType::ALL {
        let stored = |name: &str| {
            STORED
                .iter()
                .find(|(backend, own, _)| (*backend, *own) == (name, dtype))
                .map(|(.., stored)| *stored)
        };
        let stored = |name: &str| stored(name).map(|stored| format!("stored as `{stored}`"));
        row(&mut text, &format!("`{dtype}`"), &mut notes, |gap| gap.is_without(dtype), stored);
    }
    text.push_str("\n### Operations\n\nEach backend has each operation, for the element types of the row, but for the known gaps; numbers refer to their list below.\n\n");
    text.push_str("| operation | element types | gradient | gaps |\n|---|---|---|---|\n");
    for family in &Family::ALL[..Family::OPERATIONS] {
        let qualifier = operations::checks(*family).map_or("", |checks| checks.qualifier());
        for Row { name, dtypes, gradient } in operations(*family, &gradient) {
            let first = format!("`{name}`{qualifier} | {} | {gradient}", kinds(&dtypes));
            row(&mut text, &first, &mut notes, |gap| gap.is_about(*family, name, &dtypes), |_| None);
        }
    }
    text.push_str("\n### Gaps\n\n");
    for (number, note) in notes.iter().enumerate() {
        writeln!(text, "{}. {note}", number + 1).expect("a string takes all");
    }
    text
}

/// Markdown: where the comparisons with PyTorch differ from it on purpose.
pub fn departures() -> String {
    let mut text = String::from(
        "<!-- Generated: cargo run -p burn-conformance --example departures > burn-book/src/tensor/departures.md -->\n\n",
    );
    text.push_str("| | here | in PyTorch | why |\n|---|---|---|---|\n");
    for Departure { call, burn, pytorch, why, .. } in DEPARTURES {
        writeln!(text, "| {call} | {burn} | {pytorch} | {why} |").expect("a string takes all");
    }
    text
}

/// Writes a row whose last cell names the backends that differ: those with a gap, and those for which
/// `difference` returns a text.
fn row(
    text: &mut String,
    first: &str,
    notes: &mut Vec<&'static str>,
    concerns: impl Fn(&Gap) -> bool,
    difference: impl Fn(&str) -> Option<String>,
) {
    let mut cells = Vec::new();
    for (name, gaps) in BACKENDS {
        let mut numbers: Vec<usize> =
            gaps.iter().filter(|gap| concerns(gap)).map(|gap| number(notes, gap.reason)).collect();
        numbers.dedup();
        let cell = match &numbers[..] {
            [] => difference(name),
            numbers => Some(numbers.iter().map(|number| format!("({number})")).collect::<Vec<_>>().join(" ")),
        };
        cells.extend(cell.map(|cell| format!("`{name}` {cell}")));
    }
    writeln!(text, "| {first} | {} |", cells.join(", ")).expect("a string takes all");
}

fn number(notes: &mut Vec<&'static str>, reason: &'static str) -> usize {
    let found = notes.iter().position(|&note| note == reason);
    1 + found.unwrap_or_else(|| {
        notes.push(reason);
        notes.len() - 1
    })
}

/// An operation in the table.
struct Row {
    name: &'static str,
    dtypes: Vec<DType>,
    gradient: String,
}

/// The operations that have cases in `family`, with the dtypes of those cases.
fn operations(family: Family, gradient: &impl Fn(&Operation<Input>) -> String) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    operations::each(family, &mut |case| {
        let (name, dtype) = (case.situation.operation, case.situation.dtype);
        debug_assert!(output_specs(&case.op.map_ref(Input::spec)).is_ok());
        let Some(row) = found.iter_mut().find(|row| row.name == name) else {
            found.push(Row { name, dtypes: vec![dtype], gradient: gradient(&case.op) });
            return;
        };
        if !row.dtypes.contains(&dtype) {
            row.dtypes.push(dtype);
        }
        // A cast to floats has a gradient, one to integers has not: the table says what is possible.
        if row.gradient.starts_with("none") {
            row.gradient = gradient(&case.op);
        }
    });
    found
}

fn kinds(dtypes: &[DType]) -> String {
    let has = |test: fn(&DType) -> bool| dtypes.iter().any(test);
    let kinds = [
        ("float", has(|dtype| dtype.is_float())),
        ("int", has(|dtype| dtype.is_int())),
        ("bool", has(|&dtype| dtype == DType::Bool)),
    ];
    let kinds: Vec<&str> = kinds.iter().filter(|(_, has)| *has).map(|(kind, _)| *kind).collect();
    kinds.join(", ")
}
