//! Compiled kernels on disk, one file each, so that a new process compiles none.

use burn_cubecl::cache_folder;
use cubecl::hash::StableHasher;
use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::Once;

/// Names what the files are; another number is another folder.
const VERSION: &str = "2";

static WARNING: Once = Once::new();

/// A compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// Binary that the driver loads.
    pub code: Vec<u8>,
    /// Bytes, which depend on where the compiler put shared arrays.
    pub shared_memory: u64,
}

/// Cache folder of compiled kernels. Unreadable files count as absent.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Opens the cache in the user's cache folder ([`cache_folder`]).
    pub fn of_user() -> Self {
        Cache { folder: cache_folder().map(|root| root.join("cuda").join(VERSION)) }
    }

    #[cfg(test)]
    fn in_folder(folder: PathBuf) -> Self {
        Cache { folder: Some(folder) }
    }

    /// Computes the key of a binary from these parts.
    pub fn key(parts: &[&str]) -> u128 {
        let mut hasher = StableHasher::new();
        for part in parts {
            hasher.write(&(part.len() as u64).to_le_bytes());
            hasher.write(part.as_bytes());
        }
        hasher.finalize()
    }

    fn check(content: &[u8]) -> [u8; 16] {
        let mut hasher = StableHasher::new();
        hasher.write(content);
        hasher.finalize().to_le_bytes()
    }

    fn file(&self, key: u128) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key:032x}.cubin")))
    }

    /// Reads a binary; `None` where the file is missing or incomplete.
    pub fn read(&self, key: u128) -> Option<Binary> {
        let bytes = std::fs::read(self.file(key)?).ok()?;
        let (check, content) = bytes.split_at_checked(16)?;
        if Self::check(content) != *check {
            return None;
        }
        let (shared_memory, code) = content.split_first_chunk()?;
        Some(Binary { code: code.to_vec(), shared_memory: u64::from_le_bytes(*shared_memory) })
    }

    /// Writes a binary atomically: other processes see the whole file or none. A failure is reported once.
    pub fn write(&self, key: u128, binary: &Binary) {
        let Some(file) = self.file(key) else { return };
        let content = [&binary.shared_memory.to_le_bytes()[..], &binary.code].concat();
        let written = || {
            std::fs::create_dir_all(file.parent().expect("files are in the folder"))?;
            let part = file.with_extension(format!("{}", std::process::id()));
            std::fs::write(&part, [&Self::check(&content)[..], &content].concat())?;
            std::fs::rename(&part, &file)
        };
        if let Err(error) = written() {
            WARNING.call_once(|| eprintln!("warning: kernels are not kept: {}: {error}", file.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Binary, Cache};

    fn cache(name: &str) -> Cache {
        Cache::in_folder(std::env::temp_dir().join(format!("burn-cuda-{name}-{}", std::process::id())))
    }

    fn binary() -> Binary {
        Binary { code: b"binary".to_vec(), shared_memory: 4160 }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let cache = cache("read");
        let key = Cache::key(&["sm_90a", "kernel"]);
        assert_eq!(cache.read(key), None);
        cache.write(key, &binary());
        assert_eq!(cache.read(key), Some(binary()));
        assert_eq!(cache.read(Cache::key(&["sm_80", "kernel"])), None);
    }

    #[test]
    fn a_damaged_file_is_absent() {
        let cache = cache("damaged");
        let key = Cache::key(&["sm_90a", "kernel"]);
        cache.write(key, &binary());
        let file = cache.file(key).unwrap();
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[17] ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(cache.read(key), None);
        for length in [7, 20] {
            std::fs::write(&file, &bytes[..length]).unwrap();
            assert_eq!(cache.read(key), None);
        }
    }

    #[test]
    fn keys_tell_where_parts_end() {
        assert_ne!(Cache::key(&["ab", "c"]), Cache::key(&["a", "bc"]));
    }
}
