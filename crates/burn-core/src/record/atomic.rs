//! Files that are whole or not there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file beside `path` and renames it to `path` when it is complete and on the disk.
///
/// Whoever reads `path` sees the old content or the new one, even if the program is killed meanwhile.
///
/// # Errors
/// Whatever the file system says; nothing is left behind then.
pub fn write_atomic(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let beside = beside(path)?;
    let result = write_and_sync(&beside, write).and_then(|()| fs::rename(&beside, path));
    match result {
        Ok(()) => {
            sync_folder(path);
            Ok(())
        }
        Err(error) => {
            // The error that is reported is the first one.
            let _ = fs::remove_file(&beside);
            Err(error)
        }
    }
}

fn write_and_sync(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(File::create_new(path)?);
    write(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// A name in the same folder that nobody else uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Ok(path.with_file_name(beside))
}

/// Makes the rename itself durable, where folders can be opened.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
