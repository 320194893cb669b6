//! The support table of the book says what the suite checks.

#[test]
fn the_table_of_the_book_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../burn-book/src/support-table.md");
    let book = std::fs::read_to_string(path).expect("the book has the table");
    let stale = "run: cargo run -p burn-conformance --example support-table > burn-book/src/support-table.md";
    assert!(book == burn_conformance::support::table(), "{stale}");
}
