//! Generates `model.rs` from the network of Magika, and `labels.txt` from its settings. The package is
//! fetched if it is not there.

use burn_import::onnx::ModelGen;
use pip_package::PipFile;
use std::error::Error;
use std::path::PathBuf;

/// The network and its settings.
const MAGIKA: PipFile = PipFile { package: "magika", size: "16 MB", path: "magika/models/standard_v3_3" };

/// Variable that names a folder with `model.onnx` and `config.min.json`.
const VARIABLE: &str = "BURN_MAGIKA";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if std::env::var_os("CARGO_FEATURE_MODEL").is_none() {
        return Ok(());
    }
    let given = std::env::var_os(VARIABLE).map(PathBuf::from);
    let folder = MAGIKA
        .path(given, &mut |text| println!("cargo::warning={text}"))
        .map_err(|error| format!("{error}: the variable {VARIABLE} has its folder"))?;
    let config: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("config.min.json"))?)?;
    let labels = config["target_labels_space"].as_array().ok_or("config.min.json has no labels")?;
    let labels: Vec<&str> = labels.iter().filter_map(|label| label.as_str()).collect();
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("labels.txt"), labels.join("\n"))?;
    ModelGen::new().input(folder.join("model.onnx")).run_from_script();
    Ok(())
}
