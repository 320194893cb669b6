use super::header::{Header, MOST_HEADER};
use crate::file_bytes::FileBytes;
use crate::stored_type::{checked_shape, format_error, swap_bytes};
use crate::zip_entries::{ZipEntries, ZipEntry};
use crate::{FileFormat, LoadArgs};
use burn_core::record::RecordError;
use burn_core::tensor::TensorData;
use burn_core::weights::{TensorInfo, TensorSource, Weights};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

const FORMAT: &str = "numpy";

/// Opens an `.npy` or `.npz` file: its arrays, under the names that `args` give them. The array of an `.npy`
/// file is named after the file. Nothing of them is read yet.
///
/// # Errors
/// The file cannot be read or is damaged, or an array is not one of numbers.
pub fn open(args: impl Into<LoadArgs>) -> Result<Weights, RecordError> {
    let args = args.into();
    args.select(Arc::new(NpzFile::open(args.path())?), FileFormat::Npz)
}

/// An `.npy` or `.npz` file, whose arrays are read when they are asked for.
#[derive(Debug)]
pub struct NpzFile {
    file: FileBytes,
    infos: Vec<TensorInfo>,
    arrays: Vec<(Header, Option<ZipEntry>)>,
}

impl NpzFile {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let file = FileBytes::open(path)?;
        let found = if file.starts_with(b"PK") { several(&file) } else { single(&file) };
        let found = found.map_err(|cause| format_error(FORMAT, &file.name(), cause))?;
        let (infos, arrays) = found.into_iter().unzip();
        Ok(NpzFile { file, infos, arrays })
    }
}

type Array = (TensorInfo, (Header, Option<ZipEntry>));

fn single(file: &FileBytes) -> Result<Vec<Array>, String> {
    let header = Header::parse(file)?;
    check(&header, file.len() as u64)?;
    let name =
        file.path().file_stem().map_or_else(|| "array".into(), |name| name.to_string_lossy().into_owned());
    Ok(vec![(info(&name, &header)?, (header, None))])
}

fn several(file: &FileBytes) -> Result<Vec<Array>, String> {
    let entries = ZipEntries::read(file)?;
    let mut arrays = Vec::new();
    for name in entries.names() {
        let Some(array) = name.strip_suffix(".npy") else { return Err(format!("`{name}` is no array")) };
        let Some(entry) = entries.get(name) else { continue };
        let at = |cause: String| format!("`{name}`: {cause}");
        let header = Header::parse(&entry.unpack(file, MOST_HEADER)?).map_err(at)?;
        check(&header, entry.size).map_err(at)?;
        arrays.push((info(array, &header).map_err(at)?, (header, Some(entry.clone()))));
    }
    Ok(arrays)
}

/// Whether so many bytes hold the elements.
fn check(header: &Header, size: u64) -> Result<(), String> {
    match header.start.checked_add(header.size()).is_some_and(|end| end <= size) {
        true => Ok(()),
        false => {
            Err(format!("truncated: {size} bytes do not hold an array of shape {:?}", header.layout.sizes))
        }
    }
}

fn info(name: &str, header: &Header) -> Result<TensorInfo, String> {
    let sizes = &header.layout.sizes;
    let shape = checked_shape(sizes, header.dtype.size())
        .ok_or_else(|| format!("shape {sizes:?} is beyond memory"))?;
    let info = TensorInfo::new(name, shape, header.dtype);
    let stored_as = if header.is_big_endian {
        Cow::Owned(format!("{} (big-endian)", info.stored_as))
    } else {
        info.stored_as
    };
    Ok(TensorInfo { stored_as, ..info })
}

impl TensorSource for NpzFile {
    fn name(&self) -> String {
        self.file.name()
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, index: usize) -> Result<TensorData, RecordError> {
        let (header, entry) = &self.arrays[index];
        let name = &self.infos[index].name;
        read(&self.file, header, entry.as_ref())
            .map_err(|cause| format_error(FORMAT, &self.file.name(), format!("`{name}`: {cause}")))
    }
}

fn read(file: &FileBytes, header: &Header, entry: Option<&ZipEntry>) -> Result<TensorData, String> {
    let (start, end) = (header.start, header.start + header.size());
    let begin = match entry {
        None => Some(0),
        Some(entry) => entry.stored.as_ref().map(|range| range.start),
    };
    if let (Some(begin), false, Some(bytes)) =
        (begin, header.is_big_endian, header.layout.contiguous_bytes(header.stored()))
    {
        let shape = checked_shape(&header.layout.sizes, header.dtype.size()).ok_or("sizes beyond memory")?;
        let first = begin + start;
        return header.stored().decode_part(file, first + bytes.start..first + bytes.end, shape);
    }
    let mut elements = match (begin, entry) {
        (Some(begin), _) if !header.is_big_endian => {
            let elements = file.part(begin + start..begin + end).ok_or("truncated")?;
            return header.layout.read(header.stored(), elements);
        }
        (Some(begin), _) => file.part(begin + start..begin + end).ok_or("truncated")?.to_vec(),
        (None, Some(entry)) => entry.unpack_part(file, start..end)?,
        (None, None) => return Err("truncated".to_string()),
    };
    if header.is_big_endian {
        swap_bytes(&mut elements, header.dtype.size());
    }
    header.layout.read_owned(header.stored(), elements)
}
