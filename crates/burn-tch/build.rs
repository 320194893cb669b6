//! Says in one line what to do where LibTorch is missing, before the build of its bindings says it in many.

use std::env;
use std::path::Path;
use std::process::{Command, exit};

const VERSION: &str = "2.11.0";

fn main() {
    let variables =
        ["LIBTORCH", "LIBTORCH_USE_PYTORCH", "LIBTORCH_LIB", "LIBTORCH_BYPASS_VERSION_CHECK", "VIRTUAL_ENV"];
    for name in variables {
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
        return find_in_python();
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
    check_version(&format!("LIBTORCH={} is LibTorch", folder.display()), &found)
}

/// Asks the Python that the bindings ask.
fn find_in_python() -> Result<(), String> {
    let python = match env::var_os("VIRTUAL_ENV") {
        _ if cfg!(windows) => "python.exe",
        Some(_) => "python",
        None => "python3",
    };
    // The bindings read folders from the second module, which needs setuptools.
    let program = "import torch; from torch.utils import cpp_extension; print(torch.__version__)";
    let failed = |cause: &str| format!("LIBTORCH_USE_PYTORCH is set, and {python} has no PyTorch: {cause}");
    let output =
        Command::new(python).args(["-c", program]).output().map_err(|cause| failed(&cause.to_string()))?;
    if !output.status.success() {
        let cause = String::from_utf8_lossy(&output.stderr);
        return Err(failed(cause.lines().last().unwrap_or_default()));
    }
    check_version(&format!("{python} has PyTorch"), &String::from_utf8_lossy(&output.stdout))
}

/// `whose` is the begin of the error.
fn check_version(whose: &str, found: &str) -> Result<(), String> {
    let is_checked = env::var_os("LIBTORCH_BYPASS_VERSION_CHECK").is_none();
    match found.trim().split('+').next() {
        Some(version) if version != VERSION && is_checked => {
            Err(format!("{whose} {version}, and {VERSION} is wanted"))
        }
        _ => Ok(()),
    }
}
