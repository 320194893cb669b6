use crate::{Bounded, available_memory, open_file};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Files up to this size are read without a look at the memory that is available.
const SMALL: u64 = 64 << 20;

/// The most bytes of a file that says nothing of its size, such as those in `/proc`.
const MOST_WITHOUT_SIZE: u64 = 256 << 20;

/// Reads a whole file, unless memory cannot hold it.
///
/// ```
/// let path = std::env::temp_dir().join(format!("burn-io-read-{}", std::process::id()));
/// std::fs::write(&path, "whole")?;
/// assert_eq!(burn_io::read_file(&path)?, b"whole");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The error of the file system. Also, of kind [`ErrorKind::OutOfMemory`], when the file is larger than the
/// memory that is available, and of kind [`ErrorKind::FileTooLarge`], when one without a size has more than
/// 256 MiB. What is not a regular file is refused as by [`open_file`].
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size == 0 {
        Bounded::new(file, MOST_WITHOUT_SIZE).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let available = if size > SMALL { available_memory() } else { None };
    let is_room = available.is_none_or(|available| size <= available);
    if !is_room || bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX)).is_err() {
        let cause = format!("the file has {size} bytes, for which no memory is left");
        return Err(io::Error::new(ErrorKind::OutOfMemory, cause));
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_file_larger_than_memory_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        // A hole of the file system: zeros that take no room.
        File::create(&path).unwrap().set_len(1 << 43).unwrap();
        let error = read_file(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    }
}
