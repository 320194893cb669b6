use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tracing_subscriber::fmt::MakeWriter;

/// Installs what receives the events of the program (`tracing`) during a run.
pub trait ApplicationLoggerInstaller: Send {
    /// Installs it.
    ///
    /// # Errors
    /// If it cannot be installed. The run goes on without it, and says so once.
    fn install(&self) -> Result<(), String>;
}

/// Writes the events of the program to a file, one line each, after what it holds already.
///
/// A second run of the same process moves the log to its own file. Where the program has installed
/// a subscriber of its own, that one stays, and the file is made but gets no line.
#[derive(Clone, Debug)]
pub struct FileApplicationLogger {
    path: PathBuf,
}

impl FileApplicationLogger {
    /// Writes to the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl ApplicationLoggerInstaller for FileApplicationLogger {
    fn install(&self) -> Result<(), String> {
        let file = open(&self.path).map_err(|cause| format!("{}: {cause}", self.path.display()))?;
        *TARGET.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
        if !*installed {
            let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(Target).finish();
            tracing::subscriber::set_global_default(subscriber).map_err(|cause| cause.to_string())?;
            *installed = true;
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().create(true).append(true).open(path)
}

/// The file of the latest run.
static TARGET: Mutex<Option<File>> = Mutex::new(None);
/// Whether the subscriber of the process is ours.
static INSTALLED: Mutex<bool> = Mutex::new(false);

/// Writes to the file of the latest run.
struct Target;

impl<'a> MakeWriter<'a> for Target {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match TARGET.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match TARGET.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => file.flush(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) =
            (folder.path().join("a/experiment.log"), folder.path().join("b/experiment.log"));
        FileApplicationLogger::new(&first).install().unwrap();
        tracing::info!("in the first");
        FileApplicationLogger::new(&second).install().unwrap();
        tracing::info!(epoch = 3, "in the second");

        let (first, second) =
            (std::fs::read_to_string(first).unwrap(), std::fs::read_to_string(second).unwrap());
        assert!(first.contains("in the first") && !first.contains("in the second"), "{first}");
        assert!(second.contains("INFO") && second.contains("in the second epoch=3"), "{second}");
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = FileApplicationLogger::new(folder.path()).install().unwrap_err();
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
    }
}
