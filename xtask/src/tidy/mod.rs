//! `cargo xtask tidy`: the rules of the repository that no compiler checks.
//!
//! Each rule is one file with a function that returns what breaks it; a test of the same file keeps
//! the rule in `cargo test`.

mod book_links;
mod book_pages;
mod comment_width;
mod dependencies;
mod edges;
mod error_debug;
mod facade_features;
mod file_cycles;
mod findings;
mod forwarding;
mod function_length;
mod glossary;
mod licences;
mod names;
mod operation_lists;
mod operations;
mod parameters;
mod partial_matches;
mod placeholders;
mod prints;
mod private_words;
mod readme;
mod registry;
mod size;
pub(crate) mod source;
mod vocabulary;
mod whole_programs;
mod wildcards;

use crate::Outcome;
use findings::Findings;

/// A name and the function that looks.
type Rule = (&'static str, fn() -> Findings);

const RULES: [Rule; 26] = [
    ("dependency edges", edges::find),
    ("forbidden dependencies", dependencies::find),
    ("licences", licences::find),
    ("file names", names::find),
    ("placeholders", placeholders::find),
    ("prints in libraries", prints::find),
    ("width of comments", comment_width::find),
    ("parameters of functions", parameters::find),
    ("length of functions", function_length::find),
    ("size of the tools", size::find),
    ("cycles between files", file_cycles::find),
    ("vocabulary", vocabulary::find),
    ("glossary", glossary::find),
    ("private words", private_words::find),
    ("wildcard arms", wildcards::find),
    ("decorators without operations", operations::find),
    ("whole matches on operations", partial_matches::find),
    ("calls that are only forwarded", forwarding::find),
    ("files that list the operations", operation_lists::find),
    ("readme", readme::find),
    ("features of the facade", facade_features::find),
    ("errors print as messages", error_debug::find),
    ("pages of the book", book_pages::find),
    ("links of the book", book_links::find),
    ("whole programs in the book", whole_programs::find),
    ("dependencies on the registry in documents", registry::find),
];

pub(crate) fn run() -> Outcome {
    let mut broken = 0;
    for (name, find) in RULES {
        let findings = find()?;
        println!("{name}: {}", if findings.is_empty() { "ok" } else { "BROKEN" });
        findings.iter().for_each(|finding| println!("  {finding}"));
        broken += findings.len();
    }
    for finding in size::long_files()? {
        println!("note: {finding}");
    }
    if broken == 0 { Ok(()) } else { Err(format!("the rules are broken in {broken} places")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_keeps_its_rules() {
        for (name, find) in RULES {
            let findings = find().expect("the rule can look");
            assert!(findings.is_empty(), "{name}:\n{}", findings.join("\n"));
        }
    }
}
