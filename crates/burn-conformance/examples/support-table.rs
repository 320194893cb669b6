//! Prints the support table of the book.

fn main() {
    print!("{}", burn_conformance::support::table());
}
