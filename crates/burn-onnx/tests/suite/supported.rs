use burn_onnx::operators::supported_operators;
use std::path::Path;

/// With the variable `BURN_ONNX_WRITE` the list is written in place of being compared.
#[test]
fn on_009_the_list_of_operators_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("SUPPORTED-ONNX-OPS.md");
    if std::env::var_os("BURN_ONNX_WRITE").is_some() {
        std::fs::write(&file, supported_operators()).unwrap();
    }
    let listed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        listed == supported_operators(),
        "SUPPORTED-ONNX-OPS.md is stale: run the test with BURN_ONNX_WRITE=1"
    );
}
