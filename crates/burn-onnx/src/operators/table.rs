//! The list of supported operators, SUPPORTED-ONNX-OPS.md.

use super::OPERATORS;
use std::collections::BTreeMap;

/// Returns the text of SUPPORTED-ONNX-OPS.md.
pub fn supported_operators() -> String {
    let mut domains: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for operator in OPERATORS {
        let versions = match operator.until {
            Some(until) => format!("{} to {until}", operator.since),
            None => format!("{} and later", operator.since),
        };
        domains.entry(operator.domain).or_default().entry(operator.name).or_default().push(versions);
    }
    let mut text = String::from(
        "# Supported ONNX operators\n\nGenerated from the list in `src/operators/mod.rs`; a test compares. Versions are those of the operator set that a model \
         imports.\n",
    );
    for (domain, operators) in domains {
        let name = if domain.is_empty() { "ai.onnx" } else { domain };
        text += &format!("\n## `{name}`: {}\n\n| operator | versions |\n|---|---|\n", operators.len());
        for (operator, versions) in operators {
            text += &format!("| {operator} | {} |\n", versions.join(", "));
        }
    }
    text
}
