//! X-408: the command `burn-import`.

use super::files::fixture;
use burn::tensor::TensorData;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_burn-import")).args(arguments).output().expect("the command starts")
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn x_408_inspect_lists_tensors_of_every_format() {
    let list = printed(&["pytorch", "inspect", text(&fixture("convs.pt"))]);
    assert_eq!(
        list,
        "conv.conv1.weight  F32  [2, 2, 2, 2]\nconv.conv1.bias    F32  [2]\nconv.conv2.weight  F32  [2, 2, 2, 2]\n\
         3 tensors, 34 elements\n"
    );
    let list = printed(&["safetensors", "inspect", text(&fixture("dtypes.safetensors"))]);
    assert!(list.contains("float8_e4m3fn") && list.contains("F8_E4M3"), "{list}");
    let list = printed(&["gguf", "inspect", text(&fixture("tensors.gguf"))]);
    assert!(list.contains("general.architecture: llama\n") && list.contains("Q6_K"), "{list}");
    let list = printed(&["npz", "inspect", text(&fixture("arrays.npz"))]);
    assert!(list.contains("(big-endian)"), "{list}");
}

#[test]
fn x_408_keys_are_printed_as_they_are_replaced() {
    let file = fixture("convs.pt");
    let list = printed(&["pytorch", "inspect", text(&file), "--keys", "--key-remap", r"conv\.(.*)=$1"]);
    assert!(
        list.contains(
            "Original Key: conv.conv1.bias\nRemapped Key: conv1.bias\nShape: [2]\nDtype: F32\n---\n"
        ),
        "{list}"
    );
}

#[test]
fn x_408_convert_writes_safetensors_and_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let (safetensors, npz) = (folder.path().join("net.safetensors"), folder.path().join("net.npz"));
    let file = fixture("checkpoint.pt");
    printed(&["pytorch", "convert", text(&file), text(&safetensors), "--top-level-key", "my_state_dict"]);
    printed(&["safetensors", "convert", text(&safetensors), text(&npz), "--key-remap", "conv=layer"]);
    let weights = burn_import::open(&npz).unwrap();
    let bias = weights.read("layer1.bias").unwrap().unwrap();
    assert_eq!(bias, TensorData::from([(16_f64.cos() * 0.5) as f32, (17_f64.cos() * 0.5) as f32]));
}

#[test]
fn x_408_errors_name_the_file_and_end_with_a_status() {
    let output = run(&["pytorch", "inspect", "nowhere.pt"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("nowhere.pt"), "{error}");
    let output = run(&["pytorch", "convert", text(&fixture("convs.pt")), "net.onnx"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains(".safetensors"), "{error}");
}

/// A model that the tests of `burn-onnx` have.
fn model(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../burn-onnx/tests/models").join(name).join("model.onnx")
}

#[test]
fn x_408_onnx_inspect_prints_inputs_operators_and_parameters() {
    let list = printed(&["onnx", "inspect", text(&model("convnet"))]);
    for line in [
        "operator set: ",
        "input image: f32[batch, 1, 14, 14]\n",
        ": f32[batch, 10]\n",
        "  Conv ",
        "  MaxPool ",
        " parameters, ",
    ] {
        assert!(list.contains(line), "{line} in\n{list}");
    }
}

#[test]
fn x_408_onnx_check_accepts_a_model_and_names_what_is_not_supported() {
    let list = printed(&["onnx", "check", text(&model("encoder"))]);
    assert!(list.contains("are supported; it becomes Rust source"), "{list}");
    // The names of two operators, of the same length, so that the file stays one.
    let bytes = std::fs::read(model("convnet")).unwrap();
    let replaced = replace(&replace(&bytes, b"MaxPool", b"MinPool"), b"LogSoftmax", b"LogSoftest");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.onnx");
    std::fs::write(&file, replaced).unwrap();
    let output = run(&["onnx", "check", text(&file)]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("MinPool (opset ") && error.contains("LogSoftest (opset "), "{error}");
    assert!(error.contains("nodes: "), "{error}");
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn x_408_onnx_convert_writes_the_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.safetensors");
    let list = printed(&["onnx", "convert", text(&model("convnet")), text(&file)]);
    assert!(list.contains(" tensors written to "), "{list}");
    let weights =
        burn_import::open(burn_import::LoadArgs::new(file.clone()).with_layout(burn_import::Layout::Burn))
            .unwrap();
    let onnx = burn_import::onnx::Model::from_file(model("convnet")).unwrap();
    assert_eq!(weights.tensors().len(), onnx.graph.initializers.len());
    for initializer in &onnx.graph.initializers {
        assert_eq!(
            weights.read(&initializer.name).unwrap().unwrap(),
            *initializer.data,
            "{}",
            initializer.name
        );
    }
}

#[test]
fn x_408_onnx_gen_writes_source_and_weights() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("generated");
    let list = printed(&["onnx", "gen", text(&model("convnet")), text(&out), "--record-type", "pretty-json"]);
    assert!(list.contains("source: ") && list.contains("weights: "), "{list}");
    let source = std::fs::read_to_string(out.join("model.rs")).unwrap();
    assert!(source.contains("pub struct Model<B: Backend>"), "{source}");
    let record = std::fs::metadata(out.join("model.json")).unwrap();
    assert!(record.len() > 1000);
}

#[test]
fn x_408_bad_onnx_files_are_errors_that_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(model("convnet")).unwrap();
    let cut = folder.path().join("cut.onnx");
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let out = folder.path().join("out.safetensors");
    for path in [&cut, &folder.path().join("nowhere.onnx"), &fixture("convs.pt")] {
        for command in ["inspect", "check", "convert", "gen"] {
            let mut arguments = vec!["onnx", command, text(path)];
            if matches!(command, "convert" | "gen") {
                arguments.push(text(&out));
            }
            let output = run(&arguments);
            let error = String::from_utf8(output.stderr).unwrap();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap();
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
            assert!(error.contains(name), "{arguments:?}: {error}");
        }
    }
}
