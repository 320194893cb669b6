use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens the file at `path` for reading, and refuses what is not a regular file.
///
/// Opening a FIFO without a writer would wait for ever, and a device has no end; both are errors at
/// once.
///
/// ```
/// use std::io::ErrorKind;
///
/// let error = burn_io::open_file(&std::env::temp_dir()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::IsADirectory);
/// assert_eq!(error.to_string(), "a directory; expected a regular file");
/// ```
///
/// # Errors
/// The error of the file system. Also, of kind [`ErrorKind::IsADirectory`] for a directory and of kind
/// [`ErrorKind::InvalidInput`] for a FIFO, a socket or a device, with a text that names it.
pub fn open_file(path: &Path) -> io::Result<File> {
    // Before it is opened: opening a device can have effects of its own.
    check_regular(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // Without it a FIFO that took the file's name since the check would be waited for. Regular files ignore
    // it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    refuse(file.metadata()?.file_type())?;
    Ok(file)
}

/// Checks that there is a regular file at `path`; a symbolic link counts as what it leads to.
///
/// For readers that open paths themselves, such as databases; others call [`open_file`] or
/// [`read_file`](crate::read_file).
///
/// # Errors
/// As [`open_file`].
pub fn check_regular(path: &Path) -> io::Result<()> {
    refuse(fs::metadata(path)?.file_type())
}

/// Checks that a file may be written at `path`: there is a regular file, or nothing.
///
/// A file renamed to the name of a device, a FIFO or a socket replaces it: `/dev/null` would be a file
/// from then on.
///
/// ```
/// let path = std::env::temp_dir().join(format!("burn-io-absent-{}", std::process::id()));
/// assert!(burn_io::check_replaceable(&path).is_ok());
/// # #[cfg(unix)]
/// assert!(burn_io::check_replaceable("/dev/null".as_ref()).is_err());
/// ```
///
/// # Errors
/// As [`open_file`], but for a file that is absent; a symbolic link that leads nowhere counts as absent.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    match check_regular(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

fn refuse(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = if found.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
    Err(io::Error::new(kind, format!("{}; expected a regular file", name(found))))
}

fn name(found: FileType) -> &'static str {
    if found.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a FIFO (named pipe)";
        }
        if found.is_socket() {
            return "a socket";
        }
        if found.is_char_device() || found.is_block_device() {
            return "a device";
        }
    }
    "neither a file nor a directory"
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{AtomicFile, read_file, write_atomic};
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;
    use std::process::Command;

    /// One of each kind that is neither a file nor absent, with the words for it. Devices are those of the
    /// system: only `root` can make some, and `root` is whom the check protects most.
    fn special(folder: &Path) -> Vec<(PathBuf, &'static str)> {
        let (fifo, socket, link) = (folder.join("fifo"), folder.join("socket"), folder.join("link"));
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        drop(UnixListener::bind(&socket).unwrap());
        symlink("/dev/null", &link).unwrap();
        fs::create_dir(folder.join("folder")).unwrap();
        vec![
            (fifo, "a FIFO (named pipe)"),
            (socket, "a socket"),
            (link, "a device"),
            ("/dev/full".into(), "a device"),
            ("/dev/zero".into(), "a device"),
            (folder.join("folder"), "a directory"),
        ]
    }

    #[test]
    fn what_is_not_a_regular_file_is_neither_opened_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        for (path, words) in special(folder.path()) {
            for error in [
                open_file(&path).unwrap_err(),
                read_file(&path).unwrap_err(),
                check_regular(&path).unwrap_err(),
            ] {
                assert_eq!(
                    error.to_string(),
                    format!("{words}; expected a regular file"),
                    "{}",
                    path.display()
                );
            }
        }
        let absent = folder.path().join("absent");
        assert_eq!(open_file(&absent).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn what_is_not_a_regular_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for (path, words) in special(folder.path()) {
            let before = fs::symlink_metadata(&path).unwrap().file_type();
            let error = write_atomic(&path, &mut |file| file.write_all(b"x")).unwrap_err();
            assert_eq!(error.to_string(), format!("{words}; expected a regular file"), "{}", path.display());
            AtomicFile::create(&path).map(drop).unwrap_err();
            assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), before);
        }
        assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "nothing is left behind");
    }

    #[test]
    fn a_fifo_that_takes_the_name_while_it_is_written_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.mpk");
        let file = AtomicFile::create(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(file.commit().unwrap_err().to_string().contains("FIFO"));
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_that_lead_to_a_file_or_nowhere_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        for exists in [true, false] {
            if exists {
                fs::write(&target, "old").unwrap();
            }
            let _ = fs::remove_file(&link);
            symlink(&target, &link).unwrap();
            write_atomic(&link, &mut |file| file.write_all(b"new")).unwrap();
            assert_eq!(fs::read(&link).unwrap(), b"new");
            if exists {
                assert_eq!(fs::read(&target).unwrap(), b"old");
                fs::remove_file(&target).unwrap();
            }
        }
    }
}
