use crate::{check_replaceable, write_through};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The end of the names of temporary files; between it and the name of the target are [`RANDOM`] characters.
const SUFFIX: &str = ".tmp";
const RANDOM: usize = 6;

/// The most bytes of a target's name that its temporary files are named after: file systems allow 255 in all.
const LONGEST_NAME: usize = 200;

/// Writes a file beside `path` and renames it to `path` when it is complete and on the disk.
///
/// Readers of `path` see the old content or the new one, even if the program is killed meanwhile. What a
/// killed program leaves is a file `.NAME.XXXXXX.tmp` beside `path`; the next call for the same `path`
/// deletes it. The file of a program that still writes is locked, and is left alone. A symbolic link at
/// `path` is replaced by the file.
///
/// ```
/// let path = std::env::temp_dir().join(format!("burn-io-{}", std::process::id()));
/// burn_io::write_atomic(&path, &mut |file| file.write_all(b"whole"))?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// An error of the file system; no file is left over then. Also when something else than a regular file
/// is at `path`: a device, a FIFO, a socket or a directory stays as it is.
pub fn write_atomic(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    write_through(file.file.as_file_mut(), write)?;
    file.commit()
}

/// A file that is written beside its target by code that needs a path, such as a database, and renamed
/// when it is complete.
///
/// It is what [`write_atomic`] writes to. Dropped without [`commit`](AtomicFile::commit), it leaves the
/// target as it was and no other file.
///
/// ```
/// let path = std::env::temp_dir().join(format!("burn-io-atomic-{}", std::process::id()));
/// let file = burn_io::AtomicFile::create(&path)?;
/// std::fs::write(file.temporary_path(), b"whole")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates an empty file beside `path`, and deletes those that killed programs left there for the same
    /// target.
    ///
    /// # Errors
    /// An error of the file system. Also when something else than a regular file is at `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        check_replaceable(path)?;
        let name =
            path.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no name of a file"))?;
        let (folder, prefix) = (folder_of(path), prefix(name));
        delete_abandoned(folder, &prefix);
        Ok(Self { file: create(folder, &prefix)?, path: path.to_owned() })
    }

    /// Returns the path to write to.
    pub fn temporary_path(&self) -> &Path {
        self.file.path()
    }

    /// Waits until the content is on the disk, and renames the file to its target.
    ///
    /// # Errors
    /// An error of the file system; no file is left over then.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        check_replaceable(&self.path)?;
        self.file.persist(&self.path).map_err(|refused| refused.error)?;
        sync_folder(folder_of(&self.path));
        Ok(())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The beginning of the names of a target's temporary files.
fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= LONGEST_NAME {
        prefix.push(name);
    } else {
        let text = name.to_string_lossy();
        prefix.push(&text[..text.floor_char_boundary(LONGEST_NAME)]);
    }
    prefix.push(".");
    prefix
}

/// Makes a file that is locked for as long as it is open.
fn create(folder: &Path, prefix: &OsStr) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(SUFFIX).rand_bytes(RANDOM);
    // As files are made otherwise: the process says who may not.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = builder.tempfile_in(folder)?;
        match file.as_file().try_lock() {
            // Between its birth and its lock another writer may have taken it for abandoned.
            Ok(()) if !file.path().exists() => {}
            Err(TryLockError::WouldBlock) => {}
            // A file system without locks: no process deletes a file that may be in use.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}

/// Deletes the temporary files of a target whose writers are gone. That it cannot is no reason not to write.
fn delete_abandoned(folder: &Path, prefix: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name(), prefix)) {
        let path = entry.path();
        if let Ok(file) = File::options().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_temporary(name: &OsStr, prefix: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
    let random = rest.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric))
}

/// Makes the rename itself durable, where folders can be opened.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn save(path: &Path) {
        write_atomic(path, &mut |file| file.write_all(b"new")).unwrap();
    }

    #[test]
    fn what_a_killed_writer_left_is_deleted_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.mpk");
        let others = [
            ".model.bin.aB3xyZ.tmp",
            ".model.mpk.aB3xy.tmp",
            ".model.mpk.aB3-yZ.tmp",
            ".model.mpk.aB3xyZ",
            ".tmpaB3xyZ",
            "model.mpk.aB3xyZ.tmp",
        ];
        for name in others.iter().chain(&[".model.mpk.aB3xyZ.tmp", ".model.mpk.000000.tmp"]) {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        save(&path);
        let mut expected = others.map(str::to_owned).to_vec();
        expected.push("model.mpk".to_owned());
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_file_that_is_being_written_is_named_after_its_target_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.mpk");
        let during = |folder: &Path| {
            names(folder).into_iter().filter(|name| name.ends_with(".tmp")).collect::<Vec<_>>()
        };
        write_atomic(&path, &mut |file| {
            file.write_all(b"first")?;
            let mine = during(folder.path());
            assert!(mine.len() == 1 && mine[0].starts_with(".model.mpk."), "{mine:?}");
            save(&path);
            assert_eq!(during(folder.path()), mine);
            Ok(())
        })
        .unwrap();
        assert_eq!(names(folder.path()), ["model.mpk"]);
        assert_eq!(fs::read(&path).unwrap(), b"first");
    }

    #[test]
    fn writers_at_the_same_time_leave_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.mpk");
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write_atomic(path, &mut |file| file.write_all(&[writer; 50_000])).unwrap();
                    }
                });
            }
        });
        let content = fs::read(&path).unwrap();
        assert!(content.len() == 50_000 && content.iter().all(|byte| *byte == content[0]));
        assert_eq!(names(folder.path()), ["model.mpk"]);
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.mpk");
        save(&path);
        write_atomic(&path, &mut |file| {
            file.write_all(b"half")?;
            Err(io::Error::from(ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert_eq!(
            (names(folder.path()), fs::read(&path).unwrap()),
            (vec!["model.mpk".into()], b"new".to_vec())
        );
    }

    #[test]
    fn the_longest_name_that_a_file_system_takes_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("é".repeat(127));
        save(&path);
        save(&path);
        assert_eq!(names(folder.path()).len(), 1);
    }
}
