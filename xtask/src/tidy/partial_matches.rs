//! Properties of operations are asked of the operation: no crate but `burn-ir` picks variants with `if
//! let` or `matches!`.

use super::Findings;
use super::operations::FAMILIES;
use super::source::code;
use crate::workspace::rust_files;

/// The enums that a match has to go through as a whole, beside the families.
const ENUMS: [&str; 2] = ["Operation", "BlockStep"];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    let is_asked = |name: &str| !name.starts_with("crates/burn-ir/") && !name.starts_with("xtask/");
    for (name, text) in rust_files(is_asked)? {
        let code = code(&text);
        if !code.contains("burn_backend") && !code.contains("burn_ir") {
            continue;
        }
        for at in partial_matches(&code) {
            let line = code[..at].lines().count().max(1);
            findings
                .push(format!("{name}:{line}: match on the operation, or ask it with a method of burn-ir"));
        }
    }
    Ok(findings)
}

/// Where `if let`, `let .. else` and `matches!` name a variant.
fn partial_matches(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("let ") {
        if starts_with_variant(&code[at + 4..]) {
            found.push(at);
        }
    }
    for (at, _) in code.match_indices("matches!(") {
        let arguments = &code[at..code[at..].find(");").map_or(code.len(), |end| at + end)];
        if arguments.split_once(',').is_some_and(|(_, pattern)| starts_with_variant(pattern.trim_start())) {
            found.push(at);
        }
    }
    found
}

fn starts_with_variant(pattern: &str) -> bool {
    FAMILIES.iter().chain(&ENUMS).any(|name| {
        let rest = pattern.strip_prefix(name).and_then(|rest| rest.strip_prefix("::"));
        rest.is_some_and(|variant| variant.starts_with(char::is_uppercase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_in_partial_matches_are_found() {
        let count = |code| partial_matches(code).len();
        assert_eq!(count("if let Operation::Linalg(Linalg::Matmul { lhs, rhs }) = op {"), 1);
        assert_eq!(count("let BlockStep::Expand { x, .. } = step else { return };"), 1);
        assert_eq!(count("matches!(\n    op,\n    Order::Sort { .. }\n);"), 1);
        assert_eq!(count("let op = Operation::Order(op);"), 0);
        assert_eq!(count("matches!(layout, MemoryLayout::Plain);"), 0);
        assert_eq!(count("let op = Layout::Flip { x, axes };"), 0);
    }
}
