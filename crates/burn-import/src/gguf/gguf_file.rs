use super::MetadataValue;
use super::tensor_type::TensorType;
use crate::byte_reader::ByteReader;
use crate::file_bytes::FileBytes;
use crate::stored_type::{checked_shape, format_error};
use crate::{FileFormat, LoadArgs};
use burn_core::record::RecordError;
use burn_core::tensor::quantization::PackedBlocks;
use burn_core::tensor::{DType, TensorData};
use burn_core::weights::{TensorInfo, TensorSource, Weights};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const FORMAT: &str = "gguf";
const MAGIC: &[u8] = b"GGUF";
/// Dimensions of a tensor; the format has up to four.
const MOST_DIMS: u32 = 8;

/// Opens a GGUF file: its tensors, under the names that `args` give them. Nothing of them is read yet.
///
/// # Errors
/// The file cannot be read, is damaged, or is of big-endian numbers.
pub fn open(args: impl Into<LoadArgs>) -> Result<Weights, RecordError> {
    let args = args.into();
    args.select(Arc::new(GgufFile::open(args.path())?), FileFormat::Gguf)
}

/// A GGUF file: its metadata, and tensors that are read, and dequantized, when they are asked for.
///
/// Shapes are in the order of this framework and of PyTorch, the last dimension first in memory; the file has
/// them the other way round.
#[derive(Debug)]
pub struct GgufFile {
    file: FileBytes,
    metadata: Vec<(String, MetadataValue)>,
    infos: Vec<TensorInfo>,
    tensors: Vec<(TensorType, Range<u64>)>,
}

impl GgufFile {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let file = FileBytes::open(path)?;
        Head::read(&file).map_err(|cause| format_error(FORMAT, &file.name(), cause)).map(|head| GgufFile {
            metadata: head.metadata,
            infos: head.infos,
            tensors: head.tensors,
            file,
        })
    }

    /// Returns the metadata, in the order of the file.
    pub fn metadata(&self) -> &[(String, MetadataValue)] {
        &self.metadata
    }

    /// Returns the value of the metadata under `key`: `general.architecture`.
    pub fn get(&self, key: &str) -> Option<&MetadataValue> {
        self.metadata.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl GgufFile {
    fn tensor_error(&self, index: usize, cause: impl Into<String>) -> RecordError {
        let cause = format!("`{}`: {}", self.infos[index].name, cause.into());
        format_error(FORMAT, &self.file.name(), cause)
    }
}

impl TensorSource for GgufFile {
    fn name(&self) -> String {
        self.file.name()
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, index: usize) -> Result<TensorData, RecordError> {
        let ((tensor_type, range), info) = (&self.tensors[index], &self.infos[index]);
        let data = tensor_type.read(&self.file, range.clone(), info.shape.clone());
        data.map_err(|cause| self.tensor_error(index, cause))
    }
    fn read_packed(&self, index: usize) -> Result<Option<PackedBlocks<TensorData>>, RecordError> {
        let ((tensor_type, range), info) = (&self.tensors[index], &self.infos[index]);
        let (Some(format), [rows, columns]) = (tensor_type.format(), &info.shape[..]) else {
            return Ok(None);
        };
        let row = format.row_bytes(*columns).ok_or_else(|| self.tensor_error(index, "no whole blocks"))?;
        // The range was checked when the file was opened, and memory holds files of this size.
        let range = range.start as usize..range.end as usize;
        let blocks = TensorData::from_shared(self.file.shared(), range, [*rows, row], DType::U8);
        let blocks = blocks.map_err(|cause| self.tensor_error(index, cause.to_string()))?;
        Ok(Some(PackedBlocks { blocks, format, transposed: false, dtype: info.dtype }))
    }
}

struct Head {
    metadata: Vec<(String, MetadataValue)>,
    infos: Vec<TensorInfo>,
    tensors: Vec<(TensorType, Range<u64>)>,
}

impl Head {
    fn read(file: &FileBytes) -> Result<Self, String> {
        let mut reader = ByteReader::new("file", file);
        if reader.bytes(4)? != MAGIC {
            return Err("not a GGUF file: it begins otherwise".to_string());
        }
        match reader.u32()? {
            2 | 3 => {}
            version if matches!(version.swap_bytes(), 1..=3) => {
                return Err("byte order `big`; expected `little`: convert it for this byte order".to_string());
            }
            version => return Err(format!("version {version} of the format; expected 2 or 3")),
        }
        // The least that a tensor takes: its name, one dimension, its type and its offset.
        let tensor_count = reader.u64()?;
        let metadata_count = reader.count(13, "values of the metadata")?;
        let mut metadata = Vec::new();
        for _ in 0..metadata_count {
            let key = reader.string()?;
            let value = MetadataValue::read(&mut reader).map_err(|cause| format!("`{key}`: {cause}"))?;
            metadata.push((key, value));
        }
        if tensor_count.checked_mul(24).is_none_or(|bytes| bytes > reader.left()) {
            return Err(format!(
                "{tensor_count} tensors do not fit the {} bytes that are left",
                reader.left()
            ));
        }
        let mut found = Vec::new();
        for _ in 0..tensor_count {
            let name = reader.string()?;
            found.push(tensor(&mut reader, &name).map_err(|cause| format!("`{name}`: {cause}"))?);
        }
        let data = (reader.position() as u64)
            .checked_next_multiple_of(alignment(&metadata)?)
            .ok_or("an alignment beyond the file")?;
        let (mut infos, mut tensors) = (Vec::new(), Vec::new());
        for (info, tensor_type, offset, size) in found {
            let start = data.checked_add(offset);
            let end = start.and_then(|start| start.checked_add(size)).filter(|end| *end <= file.len() as u64);
            let (Some(start), Some(end)) = (start, end) else {
                return Err(format!(
                    "`{}`: its elements end after the end of the file: truncated",
                    info.name
                ));
            };
            infos.push(info);
            tensors.push((tensor_type, start..end));
        }
        Ok(Head { metadata, infos, tensors })
    }
}

/// Elements begin at multiples of this.
fn alignment(metadata: &[(String, MetadataValue)]) -> Result<u64, String> {
    match metadata.iter().find(|(key, _)| key == "general.alignment") {
        None => Ok(32),
        Some((_, MetadataValue::UInt(alignment))) if alignment.is_power_of_two() => Ok(*alignment),
        Some((_, other)) => Err(format!("`general.alignment` is {other:?}; expected a power of two")),
    }
}

/// The description of a tensor, its type, its offset after the head, and its bytes.
fn tensor(reader: &mut ByteReader<'_>, name: &str) -> Result<(TensorInfo, TensorType, u64, u64), String> {
    let rank = reader.u32()?;
    if rank > MOST_DIMS {
        return Err(format!("{rank} dimensions; expected at most {MOST_DIMS}"));
    }
    let mut sizes = (0..rank).map(|_| reader.u64()).collect::<Result<Vec<_>, _>>()?;
    sizes.reverse();
    let tensor_type = TensorType::of(reader.u32()?)?;
    let offset = reader.u64()?;
    let shape =
        checked_shape(&sizes, size_of::<f64>()).ok_or_else(|| format!("shape {sizes:?} is beyond memory"))?;
    let row = sizes.last().copied().unwrap_or(1);
    let size = tensor_type.size(shape.num_elements() as u64, row)?;
    let info = TensorInfo::new(name, shape, tensor_type.dtype());
    Ok((TensorInfo { stored_as: Cow::Borrowed(tensor_type.name), ..info }, tensor_type, offset, size))
}
