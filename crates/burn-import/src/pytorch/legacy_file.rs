//! Files before PyTorch 1.6: pickles one after the other, and after them the memory of the tensors.

use super::pickle::{self, Heap, Object, PickleValue};
use crate::file_bytes::FileBytes;
use crate::stored_type::StoredType;
use std::collections::BTreeMap;
use std::ops::Range;

/// The number that such files begin with.
const MAGIC: i128 = 0x1950_a86a_20f9_469c_fc6c;
const PROTOCOL: i128 = 1001;

/// Returns whether a file has the format of `torch.save` before version 1.6.
pub fn is_legacy(file: &[u8]) -> bool {
    let mut heap = Heap::default();
    // The pickle of the number is at most this long.
    let start = &file[..file.len().min(64)];
    matches!(pickle::run(start, &mut heap), Ok((PickleValue::Int(MAGIC), _)))
}

/// Byte ranges of the storages, by key.
#[derive(Debug)]
pub struct LegacyFile {
    storages: BTreeMap<String, Range<u64>>,
}

impl LegacyFile {
    /// Reads the value of the pickle in the file, and its storages.
    pub fn open(file: &FileBytes, heap: &mut Heap) -> Result<(PickleValue, Self), String> {
        let mut position = 0;
        let mut next = |heap: &mut Heap| {
            let (value, length) = pickle::run(&file[position..], heap)?;
            position += length;
            Ok::<_, String>((value, position))
        };
        let (magic, _) = next(heap)?;
        if magic != PickleValue::Int(MAGIC) {
            return Err("not a file of torch.save: it begins with another number".to_string());
        }
        let (protocol, _) = next(heap)?;
        if protocol != PickleValue::Int(PROTOCOL) {
            return Err(format!("protocol {protocol:?}; expected {PROTOCOL}"));
        }
        let (system, _) = next(heap)?;
        if heap.field(system, "little_endian") == Some(PickleValue::Bool(false)) {
            return Err(
                "byte order `big`; expected `little`: save it on a machine of this byte order".to_string()
            );
        }
        let (root, _) = next(heap)?;
        let (keys, position) = next(heap)?;
        let keys = heap.as_items(keys).ok_or("no list of storages after the pickle")?;
        let keys: Option<Vec<&str>> = keys.iter().map(|key| heap.as_text(*key)).collect();
        let keys = keys.ok_or("the keys of the storages are no texts")?;
        let storages = storages(file, heap, &keys, position as u64)?;
        Ok((root, LegacyFile { storages }))
    }

    pub fn storage(&self, key: &str) -> Result<Range<u64>, String> {
        self.storages.get(key).cloned().ok_or_else(|| format!("the file has no storage `{key}`"))
    }
}

/// Each storage is the number of its elements and the elements; their size is that of the tensors in it.
fn storages(
    file: &FileBytes,
    heap: &Heap,
    keys: &[&str],
    mut position: u64,
) -> Result<BTreeMap<String, Range<u64>>, String> {
    let types: BTreeMap<&str, Option<StoredType>> = heap
        .objects()
        .filter_map(|object| match object {
            Object::Storage(storage) => Some((storage.key.as_str(), storage.stored)),
            _ => None,
        })
        .collect();
    let mut storages = BTreeMap::new();
    for key in keys {
        let stored = types.get(key).ok_or_else(|| format!("no tensor has the storage `{key}`"))?;
        let truncated = || format!("truncated: the file ends within the storage `{key}`");
        let head = file.part(position..position.saturating_add(8)).ok_or_else(truncated)?;
        let count = u64::from_le_bytes(head.try_into().map_err(|_| truncated())?);
        let size = stored.map_or(1, |stored| stored.size() as u64);
        let start = position + 8;
        let end = count.checked_mul(size).and_then(|bytes| start.checked_add(bytes)).ok_or_else(truncated)?;
        if end > file.len() as u64 {
            return Err(truncated());
        }
        storages.insert((*key).to_string(), start..end);
        position = end;
    }
    Ok(storages)
}
