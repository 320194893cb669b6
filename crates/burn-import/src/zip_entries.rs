//! Entries of zip files, by name: where their bytes are in the file.

use crate::file_bytes::FileBytes;
use burn_ir::memory::is_available;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::ops::Range;
use zip::{CompressionMethod, ZipArchive};

/// Bytes that are unpacked at a time.
const PIECE: u64 = 16 << 20;

/// A file in a zip file.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    number: usize,
    /// The bytes of the zip file, if the entry is not compressed.
    pub stored: Option<Range<u64>>,
    /// Bytes when unpacked.
    pub size: u64,
}

/// The entries of a zip file.
#[derive(Debug)]
pub struct ZipEntries {
    entries: BTreeMap<String, ZipEntry>,
    /// Names in the order of the file.
    names: Vec<String>,
}

impl ZipEntries {
    /// Reads the directory of the zip file.
    pub fn read(file: &FileBytes) -> Result<Self, String> {
        let mut archive = ZipArchive::new(Cursor::new(&file[..])).map_err(|error| format!("zip: {error}"))?;
        let (mut entries, mut names) = (BTreeMap::new(), Vec::new());
        for number in 0..archive.len() {
            let entry = archive.by_index(number).map_err(|error| format!("zip: entry {number}: {error}"))?;
            let name = entry.name().map_err(|error| format!("zip: entry {number}: {error}"))?.into_owned();
            if entry.is_dir() {
                continue;
            }
            if name.split(['/', '\\']).any(|part| part == "..") || name.starts_with('/') {
                return Err(format!("zip: the entry `{name}` lies outside of the file"));
            }
            let size = entry.size();
            let stored = match entry.compression() {
                CompressionMethod::Stored => {
                    let start = entry.data_start().ok_or_else(|| format!("zip: no content of `{name}`"))?;
                    let end = start.checked_add(size).filter(|end| *end <= file.len() as u64);
                    let end = end
                        .ok_or_else(|| format!("zip: `{name}` ends after the end of the file: truncated"))?;
                    Some(start..end)
                }
                _ => None,
            };
            if entries.insert(name.clone(), ZipEntry { number, stored, size }).is_some() {
                return Err(format!("zip: two entries are called `{name}`"));
            }
            names.push(name);
        }
        Ok(ZipEntries { entries, names })
    }

    /// Returns the names of the entries, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn get(&self, name: &str) -> Option<&ZipEntry> {
        self.entries.get(name)
    }
}

impl ZipEntry {
    /// Unpacks the first `most` bytes of the entry, or all of them.
    pub fn unpack(&self, file: &FileBytes, most: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        if let Some(range) = &self.stored {
            let end = range.end.min(range.start.saturating_add(most));
            bytes.extend_from_slice(file.part(range.start..end).ok_or("zip: truncated")?);
            return Ok(bytes);
        }
        let mut archive = ZipArchive::new(Cursor::new(&file[..])).map_err(|error| format!("zip: {error}"))?;
        let entry = archive.by_index(self.number).map_err(|error| format!("zip: {error}"))?;
        let mut unpacked = entry.take(most);
        loop {
            // A file of a megabyte can unpack to gigabytes.
            if !is_available(bytes.len() + PIECE as usize) {
                return Err(format!(
                    "zip: no memory is left after {} bytes of an unpacked entry",
                    bytes.len()
                ));
            }
            let read = unpacked.by_ref().take(PIECE).read_to_end(&mut bytes);
            if read.map_err(|error| format!("zip: {error}"))? == 0 {
                return Ok(bytes);
            }
        }
    }
}
