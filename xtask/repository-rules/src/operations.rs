//! Decorators name no operation: what passes one passes all.

use crate::lines::{Lines, each_line};
use repository::{RustFile, name_at, words};

/// The decorators. Autodiff is not among them: derivatives are formulas of operations.
const DECORATORS: [&str; 6] =
    ["burn-fusion", "burn-router", "burn-remote", "burn-capture", "burn-profile", "burn-amp"];

/// The families of operations.
pub(crate) const FAMILIES: [&str; 14] = [
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

pub(crate) fn is_decorator(file: &RustFile) -> bool {
    DECORATORS.iter().any(|decorator| file.name.starts_with(&format!("crates/{decorator}/src/")))
}

pub(crate) fn find(file: &RustFile) -> Lines {
    each_line(file.code_before_tests(), |line| Some(format!("a decorator names {}", named(line)?)))
}

/// The variant that a line of code names, or the `*` of all.
fn named(line: &str) -> Option<String> {
    let kinds = words(line).filter(|(_, word)| FAMILIES.contains(word) || KINDS.contains(word));
    let mut paths = kinds.filter_map(|(at, kind)| Some((kind, line[at + kind.len()..].strip_prefix("::")?)));
    paths.find_map(|(kind, rest)| {
        let name = name_at(rest).split('_').next().unwrap_or_default();
        let is_variant = name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase);
        let name = if is_variant { name } else { "*" };
        (is_variant || rest.starts_with(['*', '{'])).then(|| format!("{kind}::{name}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let files = DECORATORS.map(|decorator| format!("crates/{decorator}/src/lib.rs"));
        assert!(files.iter().all(|name| repository::workspace::root().join(name).exists()));
        assert!(files.into_iter().all(|name| is_decorator(&RustFile::new(name, ""))));
        assert!(!is_decorator(&RustFile::new("crates/burn-autodiff/src/lib.rs", "")));
    }
}
