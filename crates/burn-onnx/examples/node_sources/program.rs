use crate::cases::{Case, Chosen};
use std::path::Path;

const HARNESS: &str = include_str!("harness.rs");

/// Writes the manifest of the program, with the versions of the workspace.
pub fn write_manifest(folder: &Path) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let manifest = format!(
        "[package]\nname = \"onnx-sources\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         burn = {{ path = \"{}/crates/burn\", default-features = false, features = [\"std\", \"ndarray\"] }}\n\n\
         [profile.dev]\nopt-level = 0\ndebug = false\nincremental = false\n",
        root.display()
    );
    let path = folder.join("Cargo.toml");
    let write = || {
        std::fs::create_dir_all(folder)?;
        std::fs::write(&path, manifest)?;
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
    };
    write().map(drop).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes the program around the sources of the cases.
pub fn write(folder: &Path, chosen: &Chosen) -> Result<(), String> {
    // Names of modules are those of the cases, which are no words of the language's style.
    let mut text =
        String::from("//! Official test cases of ONNX as generated source.\n\n#![allow(non_snake_case)]\n\n");
    let (mut functions, mut table) = (String::new(), String::new());
    for case in &chosen.cases {
        let module = &case.module;
        text += &format!("mod {module} {{\n    include!(\"cases/{module}/model.rs\");\n}}\n");
        functions += &function(case);
        table += &format!("    ({:?}, {module:?}, run_{module}),\n", case.name);
    }
    let refused: String = chosen
        .refused
        .iter()
        .map(|(name, reason)| format!("    ({name:?}, {:?}),\n", first_line(reason)))
        .collect();
    text += HARNESS;
    text += &functions;
    text += &format!("\ntype Run = fn(&Path);\n\nstatic CASES: &[(&str, &str, Run)] = &[\n{table}];\n");
    text += &format!("\nstatic REFUSED: &[(&str, &str)] = &[\n{refused}];\n");
    let path = folder.join("src/main.rs");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// A function that runs a case.
fn function(case: &Case) -> String {
    let module = &case.module;
    let inputs: Vec<String> =
        case.inputs.iter().enumerate().map(|(place, ty)| format!("input::<{ty}>(data, {place})")).collect();
    let variables: Vec<String> = (0..case.outputs.len()).map(|place| format!("y{place}")).collect();
    let pattern = if variables.len() == 1 { "y0".into() } else { format!("({})", variables.join(", ")) };
    let checks: String = case
        .outputs
        .iter()
        .enumerate()
        .map(|(place, ty)| format!("    output::<{ty}>(y{place}, data, {place});\n"))
        .collect();
    format!(
        "\nfn run_{module}(data: &Path) {{\n    let {pattern} = {module}::Model::<B>::default().forward({});\n{checks}}}\n",
        inputs.join(", ")
    )
}

fn first_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).take(2).collect();
    lines.join(" ").chars().take(240).collect()
}
