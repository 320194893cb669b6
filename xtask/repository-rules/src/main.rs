//! Rules of the repository that no compiler checks: `cargo xtask tidy`.
//!
//! Each rule is one file with a function that returns what breaks it.

mod comment_width;
mod conformance_files;
mod dependencies;
mod duplicates;
mod edges;
mod error_debug;
mod facade_features;
mod file_cycles;
mod forwarding;
mod functions;
mod glossary;
mod licences;
mod lines;
mod names;
mod operation_lists;
mod operations;
mod partial_matches;
mod paths;
mod placeholders;
mod prints;
mod private_words;
mod readme;
mod registry;
mod size;
mod type_names;
mod vocabulary;
mod wildcards;

use lines::Lines;
use repository::{Findings, Outcome, RustFile, exit_code, report, rust_files};
use std::process::ExitCode;

/// The function of a rule.
enum Look {
    /// At the manifests, documents and the tree.
    Repository(fn() -> Findings),
    /// At all Rust files together.
    Files(fn(&[RustFile]) -> Findings),
    /// At each Rust file that the first function wants.
    File(fn(&RustFile) -> bool, fn(&RustFile) -> Lines),
}

use Look::{File, Files, Repository};

const RULES: &[(&str, Look)] = &[
    ("dependency edges", Repository(edges::find)),
    ("forbidden dependencies", Repository(dependencies::find)),
    ("licences", Repository(licences::find)),
    ("file names", Repository(names::find)),
    ("placeholders", Repository(placeholders::find)),
    ("prints in libraries", File(prints::is_library, prints::find)),
    ("width of comments", File(RustFile::is_written, comment_width::find)),
    ("parameters of functions", File(RustFile::is_written, functions::find_parameters)),
    ("length of functions", Files(functions::find_long)),
    ("code that stands twice", Files(duplicates::find)),
    ("size of the tools", Files(size::find)),
    ("cycles between files", Files(file_cycles::find)),
    ("vocabulary", File(RustFile::is_written, vocabulary::find)),
    ("names of types", File(type_names::is_asked, type_names::find)),
    ("glossary", Repository(glossary::find)),
    ("private words", Files(private_words::find)),
    ("wildcard arms", Repository(wildcards::find)),
    ("decorators without operations", File(operations::is_decorator, operations::find)),
    ("whole matches on operations", File(partial_matches::is_asked, partial_matches::find)),
    ("calls that are only forwarded", Files(forwarding::find)),
    ("files that list the operations", Files(operation_lists::find)),
    ("files of an operation in the suite", Files(conformance_files::find)),
    ("readme", Repository(readme::find)),
    ("features of the facade", Repository(facade_features::find)),
    ("errors print as messages", File(RustFile::is_published, error_debug::find)),
    ("dependencies on the registry in documents", Repository(registry::find)),
];

impl Look {
    fn find(&self, files: &[RustFile]) -> Findings {
        match *self {
            Repository(find) => find(),
            Files(find) => find(files),
            File(is_wanted, find) => {
                let wanted = files.iter().filter(|file| is_wanted(file));
                let found = wanted.flat_map(|file| find(file).into_iter().map(|found| (&file.name, found)));
                Ok(found.map(|(name, (line, reason))| format!("{name}:{line}: {reason}")).collect())
            }
        }
    }
}

fn main() -> ExitCode {
    exit_code(check())
}

fn check() -> Outcome {
    let files = rust_files(|_| true)?;
    let outcome = report(RULES.iter().map(|(name, look)| (*name, look.find(&files))));
    size::long_files(&files).iter().for_each(|finding| println!("note: {finding}"));
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_keeps_its_rules() {
        let files = rust_files(|_| true).unwrap();
        for (name, look) in RULES {
            assert_eq!(look.find(&files).unwrap(), [""; 0], "{name}");
        }
    }
}
