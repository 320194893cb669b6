//! Python: interpreters, and packages of PyPI that are fetched once.

use crate::{Outcome, process, workspace};
use std::path::PathBuf;
use std::process::Command;

/// The interpreter that is installed.
pub(crate) fn installed() -> &'static str {
    if process::is_installed("python3") { "python3" } else { "python" }
}

/// The interpreter of `--python` or `BURN_BENCH_PYTHON`, and the other arguments.
pub(crate) fn chosen(arguments: &[String]) -> Outcome<(PathBuf, Vec<&str>)> {
    let mut python = std::env::var_os("BURN_BENCH_PYTHON").map_or_else(|| "python3".into(), PathBuf::from);
    let (mut rest, mut arguments) = (Vec::new(), arguments.iter());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--python" => python = arguments.next().ok_or("--python wants an interpreter")?.into(),
            other => rest.push(other),
        }
    }
    Ok((python, rest))
}

/// Returns the folder of a package, `NAME==VERSION`, which pip fetches with these options unless it is there.
/// A download that breaks off leaves nothing that is taken for the whole.
pub(crate) fn package(package: &str, options: &[&str]) -> Outcome<PathBuf> {
    let folder = workspace::target().join(package.replace("==", "-"));
    if !folder.exists() {
        let part = folder.with_extension("part");
        let mut install = Command::new(installed());
        install.args(["-m", "pip", "install", "--quiet"]).args(options).arg("--target").arg(&part);
        process::run(install.arg(package))?;
        std::fs::rename(&part, &folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    }
    Ok(folder)
}
