//! An operation is in two files of the conformance suite: its line in the list, and its checks beside it.

use crate::operations::FAMILIES;
use repository::{Findings, RustFile, words};

const SUITE: &str = "crates/burn-conformance/src/";

/// The list of operations, from the folder of the suite.
const LIST: &str = "operations/list.rs";

/// Files that name operations beside these two, from the folder of the suite.
const EXCEPTIONS: [&str; 2] = [
    // Names an operation only while a backend lacks some of it.
    "known_gaps.rs",
    // Makes an operand of a value that is there: cuts it, repeats it, reshapes it, converts it.
    "fuzz/graph.rs",
];

pub(crate) fn find(files: &[RustFile]) -> Findings {
    let suite =
        files.iter().filter_map(|file| Some((file.name.strip_prefix(SUITE)?, file.code_before_tests())));
    let suite: Vec<_> = suite.filter(|(name, _)| !EXCEPTIONS.contains(name)).collect();
    let list = suite.iter().find(|(name, _)| *name == LIST).map_or("", |(_, code)| code);
    let operations: Vec<_> = list.lines().filter_map(operation).collect();
    if operations.is_empty() {
        return Ok(vec![format!("{SUITE}{LIST}: lists no operation")]);
    }
    let wrong = operations.into_iter().filter_map(|(variant, family)| {
        let is_asked = |(name, code): &&(&str, &str)| *name != LIST && names(code, family, variant);
        let beside: Vec<_> = suite.iter().filter(is_asked).map(|(name, _)| *name).collect();
        (beside.len() != 1)
            .then(|| format!("{family}::{variant} is in {beside:?} beside {LIST}, not in one file"))
    });
    Ok(wrong.collect())
}

/// The variant and the family of a line such as `sort Sort = Order, order::SortChecks { x, dim };`.
fn operation(line: &str) -> Option<(&str, &str)> {
    let (names, rest) = line.split_once(" = ")?;
    let family = FAMILIES.into_iter().find(|family| rest.split(',').next() == Some(family))?;
    Some((names.rsplit(' ').next()?, family))
}

/// Whether code names the variant, of its family or of the families of the suite.
fn names(code: &str, family: &str, variant: &str) -> bool {
    let paths = [format!("{family}::"), "Family::".into()];
    let is_bare = paths.iter().any(|path| code.contains(&format!("{path}*")));
    let mut found = words(code).filter(|(_, word)| *word == variant);
    found.any(|(at, _)| is_bare || paths.iter().any(|path| code[..at].ends_with(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_in_a_third_file_or_without_checks_is_found() {
        let found = |others: &[(&str, &str)]| {
            let list = (LIST, "sort Sort = Order, order::SortChecks { x, dim };");
            let files = others.iter().chain([&list]);
            let files = files.map(|(name, code)| RustFile::new(format!("{SUITE}{name}"), *code));
            find(&files.collect::<Vec<_>>()).unwrap()
        };
        let checks = ("operations/order.rs", "Operation::Order(Order::Sort { x, dim })");
        let tests = ("subject.rs", "#[cfg(test)]\nmod tests { Family::Sort }");
        assert_eq!(found(&[checks, ("known_gaps.rs", "Family::Sort"), tests]), [""; 0]);
        assert_eq!(found(&[]).len(), 1);
        let third = found(&[checks, ("special/mod.rs", "Family::Sort => sorted(),")]);
        assert!(third.len() == 1 && third[0].contains("special/mod.rs"), "{third:?}");
        assert!(names("use Order::*; Sort { x }", "Order", "Sort"));
        assert!(!names("fn f(order: Ordering) -> Sort { SortChecks }", "Order", "Sort"));
    }
}
