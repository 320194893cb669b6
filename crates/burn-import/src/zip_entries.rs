//! Entries of zip files, by name: where their bytes are in the file.

use crate::file_bytes::FileBytes;
use burn_io::GZIP_RATIO;
use burn_ir::memory::is_available;
use std::collections::BTreeMap;
use std::fmt::{Debug, Formatter};
use std::io::{Cursor, Read, copy, sink};
use std::ops::Range;
use zip::{CompressionMethod, ZipArchive};

/// Unpacked bytes that an entry may have beside what its packed ones can hold: those of an empty stream.
const ROUNDING: u64 = 64;

type Archive = ZipArchive<Cursor<FileBytes>>;

/// A file in a zip file.
#[derive(Clone)]
pub struct ZipEntry {
    archive: Archive,
    number: usize,
    /// The bytes of the zip file, if the entry is not compressed.
    pub stored: Option<Range<u64>>,
    /// Bytes when unpacked.
    pub size: u64,
}

impl Debug for ZipEntry {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let mut entry = f.debug_struct("ZipEntry");
        entry.field("number", &self.number).field("stored", &self.stored).field("size", &self.size).finish()
    }
}

/// The entries of a zip file.
#[derive(Debug)]
pub struct ZipEntries {
    entries: BTreeMap<String, ZipEntry>,
    /// Names in the order of the file.
    names: Vec<String>,
}

impl ZipEntries {
    /// Reads the directory of the zip file, and refuses entries that say more of themselves than the file can
    /// hold.
    pub fn read(file: &FileBytes) -> Result<Self, String> {
        let mut archive =
            ZipArchive::new(Cursor::new(file.clone())).map_err(|error| format!("zip: {error}"))?;
        let (mut entries, mut names) = (BTreeMap::new(), Vec::new());
        let mut ranges = Vec::new();
        for number in 0..archive.len() {
            let (name, packed, entry) = read_entry(&mut archive, number, file.len() as u64)?;
            let Some(entry) = entry else { continue };
            if entries.insert(name.clone(), entry).is_some() {
                return Err(format!("zip: two entries are called `{name}`"));
            }
            ranges.push((packed, names.len()));
            names.push(name);
        }
        refuse_overlaps(ranges, &names)?;
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

/// The name of an entry, its bytes in the zip file, and the entry, unless it is a folder.
fn read_entry(
    archive: &mut Archive,
    number: usize,
    file: u64,
) -> Result<(String, Range<u64>, Option<ZipEntry>), String> {
    // Another one for each entry; the directory is shared.
    let shared = archive.clone();
    let entry = archive.by_index(number).map_err(|error| format!("zip: entry {number}: {error}"))?;
    let name = entry.name().map_err(|error| format!("zip: entry {number}: {error}"))?.into_owned();
    if entry.is_dir() {
        return Ok((name, 0..0, None));
    }
    if name.split(['/', '\\']).any(|part| part == "..") || name.starts_with('/') {
        return Err(format!("zip: the entry `{name}` lies outside of the file"));
    }
    let (size, packed_size) = (entry.size(), entry.compressed_size());
    let start = entry.data_start().ok_or_else(|| format!("zip: no content of `{name}`"))?;
    let end = start.checked_add(packed_size).filter(|end| *end <= file);
    let end = end.ok_or_else(|| format!("zip: `{name}` ends after the end of the file: truncated"))?;
    let is_stored = entry.compression() == CompressionMethod::Stored;
    let most =
        if is_stored { packed_size } else { packed_size.saturating_mul(GZIP_RATIO).saturating_add(ROUNDING) };
    if size > most || (is_stored && size != packed_size) {
        return Err(format!(
            "zip: `{name}` says it has {size} bytes, which {packed_size} bytes of the file do not hold"
        ));
    }
    let stored = is_stored.then_some(start..end);
    Ok((name, start..end, Some(ZipEntry { archive: shared, number, stored, size })))
}

/// Bytes that belong to several entries are unpacked once for each: a small file that is larger than any
/// disk.
fn refuse_overlaps(mut ranges: Vec<(Range<u64>, usize)>, names: &[String]) -> Result<(), String> {
    ranges.sort_unstable_by_key(|(range, _)| (range.start, range.end));
    match ranges.array_windows().find(|[(a, _), (b, _)]| a.end > b.start) {
        Some([(_, a), (_, b)]) => Err(format!(
            "zip: the entries `{}` and `{}` are the same bytes of the file",
            names[*a], names[*b]
        )),
        None => Ok(()),
    }
}

impl ZipEntry {
    /// Unpacks the first `most` bytes of the entry, or all of them.
    pub fn unpack(&self, file: &FileBytes, most: u64) -> Result<Vec<u8>, String> {
        self.unpack_part(file, 0..most.min(self.size))
    }

    /// Unpacks some bytes of the entry, into memory of that size and no more.
    pub fn unpack_part(&self, file: &FileBytes, part: Range<u64>) -> Result<Vec<u8>, String> {
        let size = part.end.checked_sub(part.start).and_then(|size| usize::try_from(size).ok());
        let mut bytes = Vec::new();
        let no_memory =
            || format!("zip: no memory is left for an entry of {} bytes when unpacked", self.size);
        let size = size.ok_or_else(no_memory)?;
        if !is_available(size) || bytes.try_reserve_exact(size).is_err() {
            return Err(no_memory());
        }
        if let Some(range) = &self.stored {
            let (start, end) = (range.start.saturating_add(part.start), range.start.saturating_add(part.end));
            bytes.extend_from_slice(file.part(start..end.min(range.end)).ok_or("zip: truncated")?);
            return Ok(bytes);
        }
        let mut archive = self.archive.clone();
        let mut entry = archive.by_index(self.number).map_err(|error| format!("zip: {error}"))?;
        let skipped = copy(&mut entry.by_ref().take(part.start), &mut sink());
        skipped.map_err(|error| format!("zip: {error}"))?;
        // Not `read_to_end`, which would grow a full vector to see whether more comes.
        bytes.resize(size, 0);
        entry.read_exact(&mut bytes).map_err(|error| format!("zip: {error}"))?;
        if part.end == self.size {
            // The checksum is compared at the end of the entry.
            entry.read(&mut [0]).map_err(|error| format!("zip: {error}"))?;
        }
        Ok(bytes)
    }
}
