use burn::tensor::{Bool, DType, Float, Int, Tensor, TensorData, TensorKind};
use burn::backend::NdArray;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type B = NdArray;

/// Tolerances of ONNX's own runner.
const RELATIVE: f64 = 1e-3;
const ABSOLUTE: f64 = 1e-7;

const TITLE: &str = "# Official test cases of ONNX that fail through generated source only, with the reason. \
                     `cargo xtask onnx --sources` compares; with `--write` it writes the list.\n";

fn read(folder: &Path, file: String) -> TensorData {
    let bytes = std::fs::read(folder.join(file)).expect("the case has the file");
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("it has a line");
    let line = std::str::from_utf8(&bytes[..end]).expect("the line is text");
    let (dtype, shape) = line.split_once(' ').expect("the line has two words");
    let shape: Vec<usize> = shape.split(',').filter_map(|size| size.parse().ok()).collect();
    let all = [
        DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16, DType::I8, DType::U64, DType::U32,
        DType::U16, DType::U8, DType::Bool,
    ];
    let dtype = all.into_iter().find(|known| format!("{known:?}") == dtype).expect("the type is known");
    TensorData::from_bytes(&bytes[end + 1..], shape, dtype).expect("the elements fill the shape")
}

fn input<const D: usize, K: TensorKind>(folder: &Path, place: usize) -> Tensor<B, D, K> {
    let mut data = read(folder, format!("input_{place}.bin"));
    if data.shape.is_empty() {
        data.shape = [1].into();
    }
    let dtype = data.dtype;
    Tensor::from_data(data, (&Default::default(), dtype))
}

fn output<const D: usize, K: TensorKind>(found: Tensor<B, D, K>, folder: &Path, place: usize) {
    let (found, expected) = (found.into_data(), read(folder, format!("output_{place}.bin")));
    let is_scalar = expected.shape.is_empty() && found.shape == [1].into();
    if found.dtype != expected.dtype || (found.shape != expected.shape && !is_scalar) {
        let (found, expected) = ((found.dtype, found.shape), (expected.dtype, expected.shape));
        panic!("output {place}: {found:?}, expected {expected:?}");
    }
    for (element, (found, expected)) in found.iter::<f64>().zip(expected.iter::<f64>()).enumerate() {
        let near = (found - expected).abs() <= ABSOLUTE + RELATIVE * expected.abs();
        if !(near || found == expected || (found.is_nan() && expected.is_nan())) {
            panic!("output {place}: element {element} is {found}, expected {expected}");
        }
    }
}

/// Runs the cases and compares the failures with the list of expected ones.
fn main() -> ExitCode {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (list, write) = match &args[..] {
        [list] => (list, false),
        [list, flag] if flag.as_os_str() == "--write" => (list, true),
        _ => panic!("usage: onnx-sources SOURCE_FAILURES [--write]"),
    };
    let text = std::fs::read_to_string(list).expect("the list of expected failures is read");
    let expected: BTreeMap<&str, &str> =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect();
    std::panic::set_hook(Box::new(|_| {}));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases");
    let mut failed: BTreeMap<&str, String> =
        REFUSED.iter().map(|(name, reason)| (*name, (*reason).to_string())).collect();
    let mut passed = BTreeSet::new();
    for (name, module, case) in CASES {
        let folder = folder.join(module);
        match catch_unwind(AssertUnwindSafe(|| case(&folder))) {
            Ok(()) => drop(passed.insert(*name)),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(|text| &text[..]);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
                failed.insert(name, text.lines().next().unwrap_or_default().into());
            }
        }
    }
    println!("{} of {} cases pass through generated source, {} cannot be generated", passed.len(), CASES.len(), REFUSED.len());
    if write {
        let lines = failed.iter().map(|(name, found)| {
            let reason = expected.get(name).map_or(&found[..], |reason| reason);
            format!("{name}: {reason}\n")
        });
        let text: String = std::iter::once(TITLE.to_string()).chain(lines).collect();
        std::fs::write(list, text).expect("the list is written");
        return ExitCode::SUCCESS;
    }
    let mut wrong = 0;
    for (name, reason) in failed.iter().filter(|(name, _)| !expected.contains_key(**name)) {
        println!("unexpected failure of {name}: {reason}");
        wrong += 1;
    }
    for name in passed.iter().filter(|name| expected.contains_key(**name)) {
        println!("{name} passes: remove it from {}", list.display());
        wrong += 1;
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
