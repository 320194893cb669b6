//! Generates Rust source of the exported models that are measured, where the feature `onnx-generated` asks
//! for it.

fn main() {
    #[cfg(feature = "onnx-generated")]
    generate();
}

#[cfg(feature = "onnx-generated")]
fn generate() {
    use burn_import::onnx::ModelGen;
    use std::path::PathBuf;

    println!("cargo::rerun-if-env-changed=BURN_ONNX_EXPORTS");
    let built = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/onnx-exports");
    let exports = std::env::var_os("BURN_ONNX_EXPORTS").map_or_else(built, PathBuf::from);
    for name in ["resnet18", "mobilenet_v2", "minilm", "gpt2"] {
        let model = exports.join("bench").join(name).join("model.onnx");
        ModelGen::new().input(model).out_dir(name).fold_batch_norm(true).run_from_script();
    }
}
