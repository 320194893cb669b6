//! Files that are whole or not there.

use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

/// Writes a file beside `path` and renames it to `path` when it is complete and on the disk.
///
/// Whoever reads `path` sees the old content or the new one, even if the program is killed meanwhile.
///
/// # Errors
/// Whatever the file system says; nothing is left behind then.
pub fn write_atomic(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // As files are made otherwise: the process says who may not.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = BufWriter::new(builder.tempfile_in(folder)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|refused| refused.error)?;
    sync_folder(folder);
    Ok(())
}

/// Makes the rename itself durable, where folders can be opened.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
