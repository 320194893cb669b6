use crate::cases::Case;
use std::path::Path;

const HARNESS: &str = r#"
use burn::tensor::{Bool, Float, Int, Tensor, TensorKind};
use burn_ndarray::NdArray;
use burn_onnx::RunValue;
use burn_onnx::graph::ValueType;
use burn_onnx::run::read_value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type B = NdArray;

fn read(data: &Path, file: String) -> RunValue<B> {
    read_value(std::fs::read(data.join(file)).expect("the case has the file"), &ValueType::Undeclared).expect("it is a tensor")
}

fn input<const D: usize, K: TensorKind>(data: &Path, place: usize) -> Tensor<B, D, K> {
    let RunValue::Data(mut data) = read(data, format!("input_{place}.pb")) else { panic!("expected data") };
    if data.shape.is_empty() {
        data.shape = [1].into();
    }
    let dtype = data.dtype;
    Tensor::from_data(data, (&Default::default(), dtype))
}

fn output<const D: usize, K: TensorKind>(found: Tensor<B, D, K>, data: &Path, place: usize) {
    if let Err(reason) = compare::compare::<B>(found.into(), read(data, format!("output_{place}.pb"))) {
        panic!("output {place}: {reason}");
    }
}

/// Runs the cases and compares the failures with the list of expected ones.
fn main() -> ExitCode {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [data, list] = &args[..] else { panic!("usage: onnx-sources DATA FAILURES") };
    let list = std::fs::read_to_string(list).expect("the list of expected failures is read");
    let expected: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(": ").next()).collect();
    std::panic::set_hook(Box::new(|_| {}));
    let (mut passed, mut wrong) = (0, 0);
    for (name, case) in CASES {
        let data = data.join("node").join(name).join("test_data_set_0");
        let result = catch_unwind(AssertUnwindSafe(|| case(&data)));
        passed += usize::from(result.is_ok());
        match (result, expected.contains(name)) {
            (Err(panic), false) => {
                let text = panic.downcast_ref::<String>().map(|text| &text[..]);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
                println!("unexpected failure of {name}: {text}");
                wrong += 1;
            }
            (Ok(()), true) => {
                println!("{name} passes: remove it from the list");
                wrong += 1;
            }
            _ => {}
        }
    }
    println!("{passed} of {} cases pass through generated source", CASES.len());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
"#;

/// Writes the program around the sources of the cases.
pub fn write(folder: &Path, cases: &[Case]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let crates = root.join("crates").display().to_string();
    let manifest = format!(
        "[package]\nname = \"onnx-sources\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         burn = {{ path = \"{crates}/burn\", default-features = false, features = [\"std\", \"ndarray\"] }}\n\
         burn-ndarray = {{ path = \"{crates}/burn-ndarray\" }}\n\
         burn-onnx = {{ path = \"{crates}/burn-onnx\", default-features = false, features = [\"run\"] }}\n\
         burn-tensor = {{ path = \"{crates}/burn-tensor\" }}\n\n[profile.dev]\nopt-level = 0\ndebug = false\n\n\
         [profile.dev.package.\"*\"]\nopt-level = 1\ndebug = false\n"
    );
    let mut text = String::from("//! Official test cases of ONNX as generated source.\n\nmod compare;\n");
    let (mut functions, mut table) = (String::new(), String::new());
    for case in cases {
        let name = &case.name;
        text += &format!("mod {name} {{\n    include!(\"cases/{name}.rs\");\n}}\n");
        let inputs: Vec<String> = case
            .inputs
            .iter()
            .enumerate()
            .map(|(place, ty)| format!("input::<{ty}>(data, {place})"))
            .collect();
        let variables: Vec<String> = (0..case.outputs.len()).map(|place| format!("y{place}")).collect();
        let pattern = if variables.len() == 1 { "y0".into() } else { format!("({})", variables.join(", ")) };
        let checks: String = case
            .outputs
            .iter()
            .enumerate()
            .map(|(place, ty)| format!("output::<{ty}>(y{place}, data, {place});\n"))
            .collect();
        let data = if inputs.is_empty() && checks.is_empty() { "_data" } else { "data" };
        functions += &format!(
            "fn run_{name}({data}: &Path) {{\n    let {pattern} = {name}::Model::<B>::default().forward({});\n    {checks}}}\n",
            inputs.join(", ")
        );
        table += &format!("    (\"{name}\", run_{name}),\n");
    }
    text += HARNESS;
    text += &functions;
    text += &format!("\nstatic CASES: &[(&str, fn(&Path))] = &[\n{table}];\n");
    let files = [
        ("Cargo.toml", manifest),
        ("src/main.rs", text),
        ("src/compare.rs", include_str!("../node_tests/compare.rs").into()),
    ];
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    // The versions of the workspace.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(|error| error.to_string())?;
    Ok(())
}
