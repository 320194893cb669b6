use crate::file_error::file_error;
use burn_core::record::RecordError;
use memmap2::Mmap;
use std::fmt::{Debug, Formatter};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is mapped into memory: opened at once, whatever its size, and read page by page.
///
/// The file must not be changed while it is mapped. To replace it, write another file and rename it, as
/// everything does that writes files here.
#[derive(Clone)]
pub struct FileBytes {
    path: PathBuf,
    content: Arc<Mmap>,
}

impl FileBytes {
    /// Maps the file at `path`.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let fail = |cause: std::io::Error| file_error(path, cause);
        let file = burn_io::open_file(path).map_err(fail)?;
        // SAFETY: the mapping is read-only and private to this process. That no process changes the file
        // meanwhile is what the docs ask for; every byte pattern is a valid `u8`.
        let content = unsafe { Mmap::map(&file) }.map_err(fail)?;
        Ok(FileBytes { path: path.to_path_buf(), content: Arc::new(content) })
    }

    #[cfg(any(feature = "npz", feature = "pytorch", feature = "safetensors"))]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path as text, for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the memory mapping, for tensors that share it.
    pub fn shared(&self) -> Arc<dyn AsRef<[u8]> + Send + Sync> {
        self.content.clone()
    }

    /// Returns a range of bytes, if the file is long enough.
    pub fn part(&self, range: Range<u64>) -> Option<&[u8]> {
        let (start, end) = (usize::try_from(range.start).ok()?, usize::try_from(range.end).ok()?);
        self.content.get(start..end)
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.content
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl Debug for FileBytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileBytes").field("path", &self.path).field("len", &self.content.len()).finish()
    }
}
