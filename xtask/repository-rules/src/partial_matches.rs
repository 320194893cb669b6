//! Properties of operations are asked of the operation: no crate but `burn-ir` picks variants with `if
//! let` or `matches!`.

use crate::lines::Lines;
use crate::operations::FAMILIES;
use repository::{RustFile, words};

/// The enums that a match has to go through as a whole, beside the families.
const ENUMS: [&str; 2] = ["Operation", "BlockStep"];

pub(crate) fn is_asked(file: &RustFile) -> bool {
    let is_exempt = ["crates/burn-ir/", "xtask/"].iter().any(|folder| file.name.starts_with(folder));
    !is_exempt && ["burn_backend", "burn_ir"].iter().any(|name| file.code.contains(name))
}

pub(crate) fn find(file: &RustFile) -> Lines {
    let reason = "match on the operation, or ask it with a method of burn-ir";
    partial_matches(&file.code).map(|at| (file.line_of(at), reason.to_string())).collect()
}

/// Where `if let`, `let .. else` and `matches!` name a variant anywhere in their pattern.
fn partial_matches(code: &str) -> impl Iterator<Item = usize> {
    let lets =
        code.match_indices("let ").map(|(at, word)| (at, code[at + word.len()..].split(['=', ';']).next()));
    let calls = code.match_indices("matches!(").map(|(at, word)| (at, pattern(&code[at + word.len()..])));
    lets.chain(calls).filter(|(_, pattern)| pattern.is_some_and(names_variant)).map(|(at, _)| at)
}

/// The pattern among the arguments of `matches!`, without a guard.
fn pattern(arguments: &str) -> Option<&str> {
    let mut depth = 1;
    let end = arguments.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    arguments[..end?].split_once(',')?.1.split(" if ").next()
}

fn names_variant(pattern: &str) -> bool {
    words(pattern).any(|(at, name)| {
        let variant = pattern[at + name.len()..].strip_prefix("::");
        variant.is_some_and(|variant| variant.starts_with(char::is_uppercase))
            && (FAMILIES.contains(&name) || ENUMS.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_in_partial_matches_are_found() {
        let count = |code| partial_matches(code).count();
        assert_eq!(count("if let Operation::Linalg(Linalg::Matmul { lhs, rhs }) = op {"), 1);
        assert_eq!(count("let BlockStep::Expand { x, .. } = step else { return };"), 1);
        assert_eq!(count("matches!(\n    op,\n    Order::Sort { .. }\n);"), 1);
        assert_eq!(
            count("if let Some(&BlockStep::Expand { x, .. }) = block.steps.first()\n    && x == y {"),
            1
        );
        assert_eq!(count("assert!(matches!(f(a), (_, Some(Layout::Flip { .. }))) && g(Order::Sort);"), 1);
        assert_eq!(count("matches!(step, Some(x) if x == Order::A) && f(Layout::Flip)"), 0);
        assert_eq!(count("let op = Operation::Order(op);"), 0);
        assert_eq!(count("matches!(layout, MemoryLayout::Plain);"), 0);
        assert_eq!(count("let op = Layout::Flip { x, axes };"), 0);
    }
}
