//! Errors print as their message: `main` and `unwrap` show the `Debug` of an error, so none is derived.

use crate::lines::Lines;
use repository::{RustFile, name_at, words};

/// Finds the error types that derive `Debug`.
pub(crate) fn find(file: &RustFile) -> Lines {
    let lines: Vec<&str> = file.code_before_tests().lines().collect();
    let types = lines.iter().filter_map(|line| error(line));
    let declared = types.filter_map(|ty| Some((lines.iter().position(|line| declares(line, ty))?, ty)));
    let derived = declared.filter(|(at, _)| derives_debug(&lines[..*at])).map(|(at, ty)| {
        (
            at + 1,
            format!("{ty} derives Debug; write `debug_as_display!` of burn-ir, which has the causes too"),
        )
    });
    derived.collect()
}

/// The type of a line `impl .. Error for Type`.
fn error(line: &str) -> Option<&str> {
    let traits = ["core::error::Error for ", "std::error::Error for ", " Error for "];
    let head = traits.iter().find_map(|implemented| line.split_once(implemented));
    head.filter(|_| line.starts_with("impl")).map(|(_, ty)| name_at(ty))
}

fn declares(line: &str, ty: &str) -> bool {
    let mut pairs = words(line).zip(words(line).skip(1));
    pairs.any(|((_, kind), (_, name))| matches!(kind, "struct" | "enum") && name == ty)
}

/// Whether the attributes at the end have `derive(.. Debug ..)`; comments are blank here.
fn derives_debug(before: &[&str]) -> bool {
    let attributes = before.iter().rev().take_while(|line| line.trim().is_empty() || line.starts_with("#["));
    attributes.into_iter().any(|line| line.contains("derive(") && line.contains("Debug"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_debug_of_an_error_is_found() {
        let derived = |text: &str| {
            let found = find(&RustFile::new("lib.rs", text)).into_iter();
            found.map(|(_, reason)| name_at(&reason).to_string()).collect::<Vec<_>>()
        };
        let derived_one = "/// Error.\n#[derive(Clone, Debug)]\n#[non_exhaustive]\npub enum AError {\n}\n\
                           impl std::error::Error for AError {}\n";
        assert_eq!(derived(derived_one), ["AError"]);
        let generic =
            "#[derive(Debug)]\npub struct E<D>(D);\nimpl<D: Device> core::error::Error for E<D> {}\n";
        assert_eq!(derived(generic), ["E"]);
        let written =
            "#[derive(Clone)]\nenum B {}\ndebug_as_display!(B);\nimpl core::error::Error for B {}\n";
        assert!(derived(written).is_empty());
        let no_error = "#[derive(Debug)]\npub struct Settings;\nimpl Display for Settings {}\n";
        assert!(derived(no_error).is_empty());
    }
}
