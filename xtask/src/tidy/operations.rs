//! Decorators name no operation: what passes one passes all.

use super::Findings;
use super::source::code;
use crate::workspace::rust_files;

/// The decorators. Autodiff is not among them: derivatives are formulas of operations.
const DECORATORS: [&str; 6] =
    ["burn-fusion", "burn-router", "burn-remote", "burn-capture", "burn-profile", "burn-amp"];

/// The families of operations.
pub(super) const FAMILIES: [&str; 14] = [
    "Elementwise",
    "Layout",
    "Reduction",
    "Order",
    "Index",
    "Linalg",
    "Convolution",
    "Pooling",
    "Resize",
    "Spectral",
    "Normalization",
    "Attention",
    "Quantized",
    "Recurrent",
];

/// Operations, and the kinds of operations of one family.
const KINDS: [&str; 9] = [
    "Operation",
    "UnaryOp",
    "BinaryOp",
    "CompareOp",
    "ReduceOp",
    "CumulativeOp",
    "FftOp",
    "Factorization",
    "Extremum",
];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for (name, text) in rust_files(is_decorator)? {
        let code = code(&text);
        let tested = code.find("#[cfg(test)]").unwrap_or(code.len());
        for (at, line) in code[..tested].lines().enumerate() {
            if let Some(named) = named(line) {
                findings.push(format!("{name}:{}: a decorator names {named}", at + 1));
            }
        }
    }
    Ok(findings)
}

fn is_decorator(name: &str) -> bool {
    let source = |decorator: &&str| name.starts_with(&format!("crates/{decorator}/src/"));
    DECORATORS.iter().any(source)
}

/// The variant that a line of code names, or the `*` of all.
fn named(line: &str) -> Option<String> {
    for family in KINDS.into_iter().chain(FAMILIES) {
        for (at, _) in line.match_indices(&format!("{family}::")) {
            let is_whole = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = &line[at + family.len() + 2..];
            let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let is_variant = word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase);
            if is_whole && (is_variant || rest.starts_with(['*', '{'])) {
                return Some(format!("{family}::{}", if is_variant { word } else { "*" }));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    #[test]
    fn variants_are_seen_and_methods_are_not() {
        assert_eq!(
            named("    Operation::Linalg(Linalg::Matmul { lhs, rhs }) => {}").as_deref(),
            Some("Operation::Linalg")
        );
        assert_eq!(named("use burn_backend::ReduceOp::*;").as_deref(), Some("ReduceOp::*"));
        assert_eq!(named("block.steps.iter().map(Operation::name)"), None);
        assert_eq!(named("UnaryOp::ALL"), None);
        assert_eq!(named("MyOperation::Matmul"), None);
    }

    #[test]
    fn decorators_are_where_they_are_looked_for() {
        let decorators = DECORATORS.map(|name| root().join("crates").join(name).join("src/lib.rs"));
        assert!(decorators.iter().all(|path| path.exists()));
        assert!(
            is_decorator("crates/burn-router/src/slots.rs") && is_decorator("crates/burn-amp/src/amp.rs")
        );
    }
}
