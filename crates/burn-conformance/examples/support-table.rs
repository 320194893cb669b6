//! Prints the support table of the book.

use burn_autodiff::differentiability;
use burn_conformance::support;

fn main() {
    print!("{}", support::table(|op| differentiability(op).to_string()));
}
