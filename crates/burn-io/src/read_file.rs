use crate::{Bounded, available_memory};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Files up to this size are read without a look at the memory that is available.
const SMALL: u64 = 64 << 20;

/// The most bytes of a file that says nothing of its size, such as a pipe or a device.
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
/// The error of the file system. Also, of kind [`ErrorKind::OutOfMemory`], when the file is larger than the memory that is
/// available, and of kind [`ErrorKind::FileTooLarge`], when one without a size has more than 256 MiB.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::new();
    if !metadata.is_file() {
        Bounded::new(file, MOST_WITHOUT_SIZE).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let size = metadata.len();
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

    #[test]
    fn a_file_larger_than_memory_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        // A hole of the file system: zeros that take no room.
        File::create(&path).unwrap().set_len(1 << 43).unwrap();
        let error = read_file(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_end_is_not_read() {
        let error = read_file(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{error}");
    }
}
