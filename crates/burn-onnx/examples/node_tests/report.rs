use crate::case::{Case, Status};
use std::collections::BTreeMap;

/// Prints how many cases of each operator pass, and the totals of each kind.
pub fn table(outcomes: &[(Case, Status)]) {
    let mut operators: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (case, status) in outcomes {
        let passed = usize::from(matches!(status, Status::Passed(_)));
        let kind = case.name.split('/').next().unwrap_or_default();
        let expanded = if case.name.contains("_expanded") { ", expanded" } else { "" };
        let total = kinds.entry(format!("{kind}{expanded}")).or_default();
        *total = (total.0 + passed, total.1 + 1);
        let total = operators.entry(&case.operator).or_default();
        *total = (total.0 + passed, total.1 + 1);
    }
    for (operator, (passed, all)) in operators {
        println!("{operator:40} {passed:4} of {all:4}");
    }
    println!();
    for (kind, (passed, all)) in kinds {
        println!("{kind:40} {passed:4} of {all:4}");
    }
}

/// Prints the largest difference of each model, as a part of the largest value of its outputs.
pub fn differences(outcomes: &[(Case, Status)]) {
    for (case, status) in outcomes {
        match status {
            Status::Passed(difference) => println!("{:40} {difference:.1e}", case.name),
            Status::Failed(_) => println!("{:40} failed", case.name),
        }
    }
}
