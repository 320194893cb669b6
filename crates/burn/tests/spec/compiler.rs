//! Programs that are compiled while the tests run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Returns the compiler's message for a program that it must reject.
#[track_caller]
pub fn refuses(program: &str) -> String {
    let folder = tempfile::tempdir().expect("a place for files");
    match compile(program, "2024", LIBRARY.as_path(), folder.path()) {
        Ok(_) => panic!("this program must not compile:\n{program}"),
        Err(message) => message,
    }
}

/// Returns the output of a program of `edition`.
#[track_caller]
pub fn prints(program: &str, edition: &str) -> String {
    let folder = tempfile::tempdir().expect("a place for files");
    let executable = match compile(program, edition, LIBRARY.as_path(), folder.path()) {
        Ok(executable) => executable,
        Err(message) => panic!("{message}"),
    };
    let output = Command::new(executable).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

/// The library that these tests are linked to: of those beside this program the newest that has what they
/// use.
static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let probe = "use burn::backend::{Autodiff, Fusion, NdArray, Remote, Router}; use burn::train::LearnerBuilder; fn main() {}";
    let folder = tempfile::tempdir().expect("a place for files");
    let mut libraries: Vec<_> = beside()
        .read_dir()
        .expect("the folder of this program")
        .filter_map(|file| file.ok().map(|file| file.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libburn-") && name.ends_with(".rlib")
        })
        .collect();
    libraries.sort_by_key(|path| path.metadata().and_then(|data| data.modified()).ok());
    let fits = |library: &PathBuf| compile(probe, "2024", library, folder.path()).is_ok();
    libraries.into_iter().rev().find(fits).expect("the library `burn` lies beside its tests")
});

fn beside() -> PathBuf {
    let program = std::env::current_exe().expect("this program");
    program.parent().expect("in a folder").to_path_buf()
}

fn compile(program: &str, edition: &str, library: &Path, folder: &Path) -> Result<PathBuf, String> {
    let (source, executable) = (folder.join("program.rs"), folder.join("program"));
    std::fs::write(&source, program).expect("written");
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", edition, "--color", "never", "-A", "warnings"])
        .arg("-L")
        .arg(format!("dependency={}", beside().display()))
        .arg("--extern")
        .arg(format!("burn={}", library.display()))
        .arg("-o")
        .args([&executable, &source])
        .output()
        .expect("the compiler runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(executable) } else { Err(message) }
}
