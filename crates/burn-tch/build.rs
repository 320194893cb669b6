//! Says in one line what to do where LibTorch is missing, before the build of its bindings says it in many.

use std::env;
use std::path::Path;
use std::process::exit;

const VERSION: &str = "2.11.0";

fn main() {
    for name in ["LIBTORCH", "LIBTORCH_USE_PYTORCH", "LIBTORCH_LIB", "LIBTORCH_BYPASS_VERSION_CHECK"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if let Err(problem) = find() {
        eprintln!(
            "burn-tch: {problem}; run `cargo xtask libtorch` and set LIBTORCH to the folder that it prints, or set \
             LIBTORCH_USE_PYTORCH=1 to use PyTorch {VERSION} of the active Python"
        );
        exit(1);
    }
}

/// Looks where the bindings look. Nothing is downloaded.
fn find() -> Result<(), String> {
    if env::var_os("LIBTORCH_USE_PYTORCH").is_some() {
        return Ok(());
    }
    let Some(folder) = env::var_os("LIBTORCH") else {
        let is_installed = Path::new("/usr/lib/libtorch.so").exists();
        return if is_installed { Ok(()) } else { Err("LibTorch is not there".into()) };
    };
    let folder = Path::new(&folder);
    let library = env::var_os("LIBTORCH_LIB");
    let library = library.as_deref().map_or(folder, Path::new).join("lib");
    if !library.is_dir() {
        return Err(format!("LIBTORCH={} has no folder lib", folder.display()));
    }
    let found = std::fs::read_to_string(folder.join("build-version")).unwrap_or_else(|_| VERSION.into());
    let is_checked = env::var_os("LIBTORCH_BYPASS_VERSION_CHECK").is_none();
    match found.trim().split('+').next() {
        Some(version) if version != VERSION && is_checked => {
            Err(format!("LIBTORCH={} is LibTorch {version}, and {VERSION} is wanted", folder.display()))
        }
        _ => Ok(()),
    }
}
