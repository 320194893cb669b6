//! Crates with our names come from this repository, never from a registry.

use repository::{Findings, workspace};

pub(crate) fn find() -> Findings {
    Ok(find_in(&workspace::read("Cargo.lock")?))
}

fn find_in(lock: &str) -> Vec<String> {
    let foreign = lock.split("[[package]]").filter(|package| package.contains("\nsource = "));
    let names = foreign.filter_map(|package| package.split("\nname = \"").nth(1)?.split('"').next());
    let forbidden = names.filter(|name| *name == "burn" || name.starts_with("burn-") || *name == "onnx-ir");
    forbidden.map(|name| format!("Cargo.lock: {name} comes from a registry")).collect()
}

#[cfg(test)]
mod tests {
    use super::find_in;

    #[test]
    fn only_packages_with_a_source_are_foreign() {
        let lock = "[[package]]\nname = \"burn-ir\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"onnx-ir\"\n\
                    version = \"1.0.0\"\nsource = \"registry\"\n\n[[package]]\nname = \"half\"\nsource = \"registry\"\n";
        assert_eq!(find_in(lock), ["Cargo.lock: onnx-ir comes from a registry"]);
    }
}
