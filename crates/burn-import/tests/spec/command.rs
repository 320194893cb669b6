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
