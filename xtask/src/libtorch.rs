//! `cargo xtask libtorch`: the smallest LibTorch for the processor, from the wheels of PyTorch on PyPI.

use crate::{Outcome, process, python, workspace};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The wheels: PyTorch, and two libraries of CUDA that its library for the processor is linked with.
const WHEELS: [&str; 3] = ["torch==2.11.0", "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85"];

const VERSION: &str = "2.11.0";

/// Unpacks what is needed of the wheels in a folder: libraries beside each other, and headers.
const UNPACK: &str = "
import pathlib, sys, zipfile
wheels, torch = map(pathlib.Path, sys.argv[1:])
libraries = {'libtorch_cpu.so', 'libc10.so', 'libgomp.so.1', 'libcudart.so.13', 'libcupti.so.13'}
(torch / 'lib').mkdir(parents=True)
for wheel in sorted(wheels.glob('*.whl')):
    archive = zipfile.ZipFile(wheel)
    for name in archive.namelist():
        last = name.rsplit('/', 1)[-1]
        if last in libraries and '/lib/' in name:
            (torch / 'lib' / last).write_bytes(archive.read(name))
        elif name.startswith('torch/include/') and last:
            file = torch.parent / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.read(name))
missing = sorted(name for name in libraries if not (torch / 'lib' / name).exists())
sys.exit(f'not in the wheels: {missing}' if missing else 0)
";

fn folder() -> PathBuf {
    workspace::target().join(format!("libtorch-{VERSION}"))
}

/// Fetches LibTorch unless it is there, and prints the variables that a build needs.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(format!("unknown arguments {arguments:?}"));
    }
    let torch = folder().join("torch");
    if !torch.exists() {
        fetch(&torch)?;
    }
    let torch = torch.display();
    println!("\nexport LIBTORCH={torch}\nexport LD_LIBRARY_PATH={torch}/lib");
    Ok(())
}

/// Returns the environment variables of a build with LibTorch, if it is installed: by the user, or by
/// [`run`].
pub(crate) fn variables() -> Option<Vec<(&'static str, OsString)>> {
    let search = |library: PathBuf| {
        let before = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let paths = [library].into_iter().chain(env::split_paths(&before).collect::<Vec<_>>());
        ("LD_LIBRARY_PATH", env::join_paths(paths).unwrap_or(before))
    };
    if env::var_os("LIBTORCH_USE_PYTORCH").is_some() {
        return Some(Vec::new());
    }
    if let Some(torch) = env::var_os("LIBTORCH") {
        return Some(vec![search(Path::new(&torch).join("lib"))]);
    }
    let torch = folder().join("torch");
    torch.exists().then(|| vec![("LIBTORCH", torch.clone().into()), search(torch.join("lib"))])
}

/// A part that breaks off leaves nothing that is taken for the whole.
fn fetch(torch: &Path) -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(format!(
            "there is a small LibTorch for Linux on x86-64 alone; with PyTorch {VERSION} in the active Python, set \
             LIBTORCH_USE_PYTORCH=1"
        ));
    }
    let folder = folder();
    let failed = |what: &Path, cause: std::io::Error| format!("{}: {cause}", what.display());
    let (wheels, unpacked) = (folder.join("wheels"), folder.join("unpacked"));
    fs::create_dir_all(&wheels).map_err(|cause| failed(&wheels, cause))?;
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).map_err(|cause| failed(&unpacked, cause))?;
    }
    let python = python::installed();
    let mut download = Command::new(python);
    download.args(["-m", "pip", "download", "--quiet", "--no-deps", "--python-version", "3.11"]);
    download.args(["--only-binary", ":all:", "--dest"]).arg(&wheels).args(WHEELS);
    process::run(&mut download)?;
    let inner = unpacked.join("torch");
    process::run(Command::new(python).args(["-c", UNPACK]).arg(&wheels).arg(&inner))?;
    // Programs are linked with a library of this name, which in the wheel needs those of CUDA.
    let mut stub = Command::new("cc");
    stub.args(["-shared", "-fPIC", "-Wl,-soname,libtorch.so", "-x", "c", "/dev/null", "-o"]);
    process::run(stub.arg(inner.join("lib/libtorch.so")))?;
    let version = inner.join("build-version");
    fs::write(&version, VERSION).map_err(|cause| failed(&version, cause))?;
    fs::rename(&inner, torch).map_err(|cause| failed(torch, cause))?;
    fs::remove_dir_all(&wheels).map_err(|cause| failed(&wheels, cause))?;
    fs::remove_dir_all(&unpacked).map_err(|cause| failed(&unpacked, cause))
}
