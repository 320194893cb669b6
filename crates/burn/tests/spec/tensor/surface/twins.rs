//! what can panic has a form that gives the error.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Functions that panic and have no fallible form by design.
const ALONE: [&str; 3] = [
    // Makes the error of a line.
    "argument",
    // Gives the panic of an error that is there already.
    "raise",
    // For backends, whose tensors have the rank.
    "from_handle",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources of the tensor crate") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Name of the function that a line declares for users.
fn declared(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .strip_prefix("pub fn ")
        .or_else(|| line.trim_start().strip_prefix("pub async fn "))?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$').next()
}

#[test]
fn x_016_every_operation_that_panics_has_a_twin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../burn-tensor/src");
    let (mut twins, mut panicking, mut derived) = (BTreeSet::new(), Vec::new(), 0);
    for path in sources(&folder) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let lines: Vec<&str> = text.lines().take_while(|line| *line != "mod tests {").collect();
        // The blocks whose `try_` forms get a panicking form.
        let mut fallible = false;
        for (at, line) in lines.iter().enumerate() {
            fallible = match line.trim() {
                "#[fallible]" => true,
                "}" if *line == "}" => false,
                _ => fallible,
            };
            let Some(name) = declared(line) else { continue };
            if let Some(plain) = name.strip_prefix("try_") {
                twins.insert(plain.to_owned());
                derived += usize::from(fallible);
                continue;
            }
            let above = lines[..at].iter().rev().map(|line| line.trim());
            let above: Vec<&str> =
                above.take_while(|line| line.starts_with("//") || line.starts_with('#')).collect();
            // Methods: what stands alone is derived, or is no part of what programs see.
            let method = line.starts_with(' ');
            if method && above.iter().any(|line| *line == "#[track_caller]" || line.contains("# Panics")) {
                panicking.push((name.to_owned(), path.clone()));
            }
        }
    }
    for (name, path) in panicking {
        let known = ALONE.contains(&&*name) || name.starts_with('$');
        assert!(known || twins.contains(&name), "`{name}` in {} has no `try_{name}`", path.display());
    }
    assert!(derived > 150, "{derived} operations are written in the form that gives an error");
}

#[test]
fn x_016_one_error_for_all() {
    use crate::given::float;
    use burn::tensor::TensorError;
    let calls: [Result<_, TensorError>; 5] = [
        float::<1>([1.0, 2.0, 3.0]).try_add(float([1.0, 2.0])).map(|_| ()),
        float::<1>([1.0]).try_reshape::<1, _>([2]).map(|_| ()),
        float::<1>([1.0]).try_select(0, crate::given::int([1])).map(|_| ()),
        burn::tensor::activation::try_softmax(float::<1>([1.0]), 1).map(|_| ()),
        float::<1>([1.0, 2.0]).try_into_scalar().map(|_| ()),
    ];
    for call in calls {
        let error = call.expect_err("no meaning");
        assert_eq!(error.location().file(), file!());
        assert!(error.to_string().contains(error.operation()), "{error}");
    }
}
