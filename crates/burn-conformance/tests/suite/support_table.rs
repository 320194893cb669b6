//! The tables of the book say what the suite checks.

use burn_autodiff::differentiability;
use burn_conformance::gradient::calls;
use burn_conformance::{Family, support};

#[track_caller]
fn is_fresh(page: &str, table: &str, example: &str) {
    let path = format!("{}/../../burn-book/src/{page}", env!("CARGO_MANIFEST_DIR"));
    let book = std::fs::read_to_string(path).expect("the book has the table");
    assert!(book == table, "run: cargo run -p burn-conformance --example {example} > burn-book/src/{page}");
}

#[test]
fn the_support_table_is_fresh() {
    let table = support::table(|op| differentiability(op).to_string());
    is_fresh("support-table.md", &table, "support-table");
}

#[test]
fn the_table_of_departures_is_fresh() {
    is_fresh("tensor/departures.md", &support::departures(), "departures");
}

/// Checks that the differentiability stated by autodiff is the one that the suite compares with difference
/// quotients.
#[test]
fn the_statements_of_autodiff_are_those_that_the_suite_checks() {
    for call in Family::ALL.into_iter().flat_map(calls) {
        let stated = differentiability(&call.op);
        assert_eq!(stated.is_differentiable(), call.differentiable, "{}: {stated}", call.name);
    }
}
