//! Generation from a build script, whose folder is a variable of the environment: a test is a process of its
//! own.

use super::models::folder;
use burn_onnx::ModelGen;
use std::path::Path;
use std::process::Command;

/// Set where the process is the build script.
const SCRIPT: &str = "BURN_ONNX_SCRIPT";

const NAME: &str = "script::a_build_script_goes_on_without_a_model_that_cannot_be_generated";

#[test]
fn a_build_script_goes_on_without_a_model_that_cannot_be_generated() {
    if let Some(out) = std::env::var_os("OUT_DIR").filter(|_| std::env::var_os(SCRIPT).is_some()) {
        return script(Path::new(&out));
    }
    let out = tempfile::tempdir().unwrap();
    std::fs::write(out.path().join("damaged.onnx"), b"no model").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([NAME, "--exact", "--nocapture"]).env("OUT_DIR", out.path()).env(SCRIPT, "1");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    // Cargo runs the script again when either model changes.
    for model in [out.path().join("damaged.onnx"), folder("shapes").join("model.onnx")] {
        let line = format!("cargo::rerun-if-changed={}", model.display());
        assert!(text.lines().any(|found| found.ends_with(&line)), "no `{line}` in\n{text}");
    }
}

fn script(out: &Path) {
    let generator = |model: &Path| ModelGen::new().input(model).out_dir("model").try_run_from_script();
    let error = generator(&out.join("damaged.onnx")).unwrap_err().to_string();
    assert!(error.contains("damaged.onnx"), "{error}");
    let files = generator(&folder("shapes").join("model.onnx")).unwrap();
    assert_eq!(files[0].source, out.join("model/model.rs"));
    let source = std::fs::read_to_string(&files[0].source).unwrap();
    assert!(source.contains("pub struct Model"), "{source}");
    assert!(files[0].record.exists());
}
