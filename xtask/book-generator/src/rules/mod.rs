//! Rules of the book's pages, which `cargo xtask tidy` looks at.

mod included_code;
mod links;
mod whole_programs;

use repository::{Findings, Outcome, report};

/// A name and the function that looks.
type Rule = (&'static str, fn() -> Findings);

const RULES: [Rule; 3] = [
    ("pages of the book", included_code::find),
    ("links of the book", links::find),
    ("whole programs in the book", whole_programs::find),
];

pub(crate) fn check() -> Outcome {
    report(RULES.map(|(name, find)| (name, find())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_keeps_its_rules() {
        for (name, find) in RULES {
            assert_eq!(find().unwrap(), [""; 0], "{name}");
        }
    }
}
