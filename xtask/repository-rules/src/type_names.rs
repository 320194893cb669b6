//! The name of a type says whose it is: `PoolRows` and not `Rows`.

use crate::lines::Lines;
use repository::{RustFile, words};

/// Names that many crates could have for as many things.
const NAMES: [&str; 8] = ["Call", "Part", "Place", "Rows", "Source", "Step", "Value", "Work"];

/// Types that users reach through the crate `burn`, which keep such a name.
const PUBLIC: [(&str, &str); 6] = [
    ("crates/burn-capture/src/step.rs", "Step"),
    ("crates/burn-capture/src/step.rs", "Value"),
    ("crates/burn-collective/src/engine.rs", "Part"),
    ("crates/burn-dataset/src/transform/split.rs", "Part"),
    ("crates/burn-remote/src/session/session.rs", "Step"),
    ("crates/burn-train/src/checkpoint/part.rs", "Part"),
];

pub(crate) fn is_asked(file: &RustFile) -> bool {
    file.name.contains("/src/") && ["crates/", "examples/"].iter().any(|at| file.name.starts_with(at))
}

pub(crate) fn find(file: &RustFile) -> Lines {
    // An indented `type` is that of a trait, such as serde's `Visitor`.
    let is_alias = |at: usize| !file.code[..at].rsplit('\n').next().unwrap_or("").starts_with(' ');
    let found = words(&file.code).zip(words(&file.code).skip(1)).filter(|((at, kind), (_, name))| {
        let is_type = *kind == "type" && is_alias(*at) || ["enum", "struct", "trait", "union"].contains(kind);
        is_type && NAMES.contains(name) && !PUBLIC.contains(&(file.name.as_str(), *name))
    });
    found.map(|(_, (at, name))| (file.line_of(at), format!("`{name}` does not say whose it is"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_names_of_many_things_are_found() {
        let code = "type Call = u8;\n struct Rows<'a>;\n type Value = u8;\nenum Part { Step }\ntrait Work {}";
        let file = RustFile::new("crates/burn-collective/src/engine.rs", code);
        assert_eq!(find(&file).iter().map(|found| found.0).collect::<Vec<_>>(), [1, 2, 5]);
    }
}
