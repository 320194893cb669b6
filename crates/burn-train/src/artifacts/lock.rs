use crate::TrainError;
use crate::logger::LogError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Name of the file; it is there while a run is, and holds the name of its process.
const NAME: &str = "run.lock";

/// The lock of an artifact folder, given back when it is dropped.
///
/// The system holds it with the open file, so a process that is killed leaves a file without a lock. Where
/// the file system has no locks, the process that the file names decides.
#[derive(Debug)]
pub(super) struct RunLock {
    folder: PathBuf,
    file: File,
}

impl RunLock {
    /// Makes the folder and takes its lock. Returns the owner of a stale lock, too.
    ///
    /// # Errors
    /// If the folder or the file cannot be written, or another run has the lock.
    pub(super) fn take(folder: &Path) -> Result<(Self, Option<String>), TrainError> {
        let path = folder.join(NAME);
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| TrainError::Log(LogError::Io { path, source })
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        loop {
            let mut file = open(&path).map_err(failed(&path))?;
            let owner = owner(&mut file);
            let is_free = match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                // No locks on this file system.
                Err(TryLockError::Error(_)) => owner.as_deref().is_none_or(is_gone),
            };
            if !is_free {
                let owner = owner.unwrap_or_else(|| "another process".to_string());
                return Err(TrainError::FolderInUse { folder: folder.to_path_buf(), owner });
            }
            // Its owner may have removed the file between the two calls.
            if !is_at(&file, &path) {
                continue;
            }
            write_owner(&mut file).map_err(failed(&path))?;
            return Ok((Self { folder: folder.to_path_buf(), file }, owner));
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the lock anew if its file is gone, with the folder or without. Returns whether it was.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub(super) fn renew(&mut self) -> Result<bool, TrainError> {
        if is_at(&self.file, &self.folder.join(NAME)) {
            return Ok(false);
        }
        *self = Self::take(&self.folder)?.0;
        Ok(true)
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let path = self.folder.join(NAME);
        // A file of another run is left where it is; a file that stays without a lock is taken over.
        if is_at(&self.file, &path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Opens the file, which no link and nothing special may stand for: it is written over.
fn open(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("expected a file or nothing, got something else"));
    }
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Returns the first line of the file, if it has one.
fn owner(file: &mut File) -> Option<String> {
    let mut bytes = Vec::new();
    Read::take(&mut *file, 256).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line: String = text.lines().next()?.chars().filter(|c| !c.is_control()).collect();
    (!line.is_empty()).then_some(line)
}

fn write_owner(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "process {} on {}", std::process::id(), host())?;
    file.flush()
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "this computer".to_string())
}

/// Returns whether the process that a file names has surely ended: it was one of this host, and there is none
/// of its number.
fn is_gone(owner: &str) -> bool {
    let Some((process, name)) = owner.strip_prefix("process ").and_then(|rest| rest.split_once(" on "))
    else {
        return true;
    };
    name == host() && process.parse().is_ok_and(|process| !is_running(process))
}

#[cfg(unix)]
fn is_running(process: i32) -> bool {
    let Some(process) = rustix::process::Pid::from_raw(process) else { return false };
    rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
}

#[cfg(not(unix))]
fn is_running(_process: i32) -> bool {
    true
}

/// Returns whether the file that is open is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: &fs::Metadata| (found.dev(), found.ino());
    matches!((&file.metadata(), &fs::metadata(path)), (Ok(own), Ok(there)) if place(own) == place(there))
}

/// An open file is not removed there.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let (first, stale) = RunLock::take(folder.path()).unwrap();
        assert_eq!(stale, None);
        let error = RunLock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {} on ", std::process::id())), "{error}");
        drop(first);
        assert!(!path.exists());

        fs::write(&path, "process 1 on elsewhere\n").unwrap();
        let (_second, stale) = RunLock::take(folder.path()).unwrap();
        assert_eq!(stale.as_deref(), Some("process 1 on elsewhere"));
    }

    #[test]
    fn a_removed_folder_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut lock = RunLock::take(&path).unwrap().0;
        assert!(!lock.renew().unwrap());
        fs::remove_dir_all(&path).unwrap();
        assert!(lock.renew().unwrap() && !lock.renew().unwrap());
        RunLock::take(&path).unwrap_err();

        // Another run was faster.
        fs::remove_dir_all(&path).unwrap();
        let other = RunLock::take(&path).unwrap().0;
        assert!(matches!(lock.renew(), Err(TrainError::FolderInUse { .. })));
        drop(lock);
        assert!(path.join(NAME).exists());
        drop(other);
    }

    #[test]
    #[cfg(unix)]
    fn without_locks_of_the_system_the_process_decides() {
        assert!(is_gone("nonsense"));
        assert!(is_gone(&format!("process {} on {}", i32::MAX, host())));
        assert!(!is_gone(&format!("process {} on {}", std::process::id(), host())));
        assert!(!is_gone(&format!("process {} on elsewhere", i32::MAX)));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "text").unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join(NAME)).unwrap();
        let error = RunLock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains(NAME), "{error}");
        assert_eq!(fs::read_to_string(target).unwrap(), "text");
    }
}
