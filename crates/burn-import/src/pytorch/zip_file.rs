//! Files of PyTorch 1.6 and later: a zip file with a pickle, and an entry for the memory of each tensor.

use super::pickle::StoredTensor;
use crate::file_bytes::FileBytes;
use crate::zip_entries::ZipEntries;
use std::ops::Range;

/// The most bytes of a pickle.
const MOST_PICKLE: u64 = 1 << 30;

#[derive(Debug)]
pub struct ZipFile {
    entries: ZipEntries,
    /// The folder that everything is in.
    folder: String,
}

impl ZipFile {
    pub fn open(file: &FileBytes) -> Result<Self, String> {
        let entries = ZipEntries::read(file)?;
        let pickles = entries.names().iter().filter_map(|name| name.strip_suffix("data.pkl"));
        let folder = pickles
            .filter(|folder| folder.is_empty() || folder.ends_with('/'))
            .min_by_key(|folder| folder.len());
        let folder = folder.ok_or("no entry `data.pkl`: not a file of torch.save")?.to_string();
        if let Some(order) = entries.get(&format!("{folder}byteorder")) {
            let order = order.unpack(file, 16)?;
            if order.trim_ascii() != b"little" {
                let order = String::from_utf8_lossy(&order).into_owned();
                return Err(format!(
                    "byte order `{order}`; expected `little`: save it on a machine of this byte order"
                ));
            }
        }
        if entries.get(&format!("{folder}constants.pkl")).is_some() {
            return Err(
                "a TorchScript program; save the `state_dict()` of the module with torch.save".to_string()
            );
        }
        Ok(ZipFile { entries, folder })
    }

    pub fn pickle<'a>(&self, file: &'a FileBytes) -> Result<&'a [u8], String> {
        let entry = self.entries.get(&format!("{}data.pkl", self.folder)).ok_or("no entry `data.pkl`")?;
        let range = entry.stored.clone().ok_or("`data.pkl` is compressed, which torch.save does not do")?;
        if entry.size > MOST_PICKLE {
            return Err(format!("a pickle of {} bytes; expected at most {MOST_PICKLE}", entry.size));
        }
        file.part(range).ok_or_else(|| "truncated".to_string())
    }

    /// Returns the byte range of the storage of a tensor in the file.
    pub fn storage(&self, tensor: &StoredTensor) -> Result<Range<u64>, String> {
        let name = format!("{}data/{}", self.folder, tensor.storage.key);
        let entry = self.entries.get(&name).ok_or_else(|| format!("no entry `{name}` with its elements"))?;
        entry.stored.clone().ok_or_else(|| format!("`{name}` is compressed, which torch.save does not do"))
    }
}
