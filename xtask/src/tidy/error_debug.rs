//! Errors print as their message: `main` and `unwrap` show the `Debug` of an error, so none is derived.

use super::Findings;
use super::source::code;
use crate::workspace::rust_files;

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for (name, text) in rust_files(|name| name.starts_with("crates/") && name.contains("/src/"))? {
        let advice = "write `debug_as_display!` of burn-ir, which has the causes too";
        let found = derived(&text).into_iter().map(|ty| format!("{name}: {ty} derives Debug; {advice}"));
        findings.extend(found);
    }
    Ok(findings)
}

/// The error types of a file that derive `Debug`.
fn derived(text: &str) -> Vec<String> {
    let code = code(text);
    let code = &code[..code.find("#[cfg(test)]").unwrap_or(code.len())];
    errors(code).into_iter().filter(|ty| derives_debug(code, ty)).collect()
}

/// The types that have an `impl Error for`.
fn errors(code: &str) -> Vec<String> {
    let heads = code.lines().filter(|line| line.starts_with("impl"));
    let traits = ["core::error::Error for ", "std::error::Error for ", " Error for "];
    let name = |line: &str| {
        let (_, ty) = traits.iter().find_map(|implemented| line.split_once(implemented))?;
        let end = ty.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(ty.len());
        Some(ty[..end].to_string())
    };
    heads.filter_map(name).collect()
}

/// Whether the attributes of a type have `derive(.. Debug ..)`.
fn derives_debug(code: &str, ty: &str) -> bool {
    let lines: Vec<&str> = code.lines().collect();
    let declares = |line: &str| {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        words.windows(2).any(|pair| matches!(pair[0], "struct" | "enum") && pair[1] == ty)
    };
    let Some(at) = lines.iter().position(|line| declares(line)) else { return false };
    // Comments are blank here.
    let attributes =
        lines[..at].iter().rev().take_while(|line| line.trim().is_empty() || line.starts_with("#["));
    attributes.into_iter().any(|line| line.contains("derive(") && line.contains("Debug"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_debug_of_an_error_is_found() {
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
