use crate::FileFormat;
use crate::file_bytes::FileBytes;
use crate::stored_type::{StoredType, byte_size, checked_shape, format_error};
use burn_core::record::RecordError;
use burn_core::tensor::{DType, TensorData};
use burn_core::weights::{TensorInfo, TensorSource};
use burn_ir::Float8;
use safetensors::{Dtype, SafeTensors};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(super) const FORMAT: &str = "safetensors";

/// The value of `format` in the table of files that a recorder of this crate wrote.
pub(super) const BURN: &str = "burn";

/// A safetensors file, or several with an index, whose tensors are read when they are asked for.
#[derive(Debug)]
pub struct SafetensorsFile {
    path: PathBuf,
    infos: Vec<TensorInfo>,
    tensors: Vec<Stored>,
    metadata: HashMap<String, String>,
}

/// File, element type and byte range of a tensor.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    file: FileBytes,
    /// Stored type; `None` for an unsupported one.
    stored: Option<StoredType>,
    range: Range<u64>,
}

impl SafetensorsFile {
    /// Opens one file of tensors.
    pub(super) fn open_one(path: &Path) -> Result<Self, RecordError> {
        let file = FileBytes::open(path)?;
        Self::parse(&file).map_err(|cause| format_error(FORMAT, &file.name(), cause))
    }

    fn parse(file: &FileBytes) -> Result<Self, String> {
        let (header, table) = SafeTensors::read_metadata(file).map_err(|error| error.to_string())?;
        // The length of the table is in eight bytes before it.
        let data = header as u64 + 8;
        let (mut infos, mut tensors) = (Vec::new(), Vec::new());
        for name in table.offset_keys() {
            let info = table.info(&name).ok_or_else(|| format!("`{name}` is not in the table"))?;
            let sizes: Vec<u64> = info.shape.iter().map(|&size| size as u64).collect();
            let stored = stored_type(info.dtype);
            let range = data + info.data_offsets.0 as u64..data + info.data_offsets.1 as u64;
            let element = stored.map_or(1, StoredType::size);
            let shape = checked_shape(&sizes, element)
                .ok_or_else(|| format!("`{name}`: sizes {sizes:?} beyond memory"))?;
            let fits =
                stored.is_none() || byte_size(&sizes, element) == Some(range.end.saturating_sub(range.start));
            if !fits || file.part(range.clone()).is_none() {
                return Err(format!("`{name}`: bytes {range:?} are not the elements of shape {sizes:?}"));
            }
            let dtype = stored.map_or(DType::U8, StoredType::dtype);
            let stored_as = Cow::Owned(info.dtype.to_string());
            infos.push(TensorInfo { stored_as, ..TensorInfo::new(name, shape, dtype) });
            tensors.push(Stored { file: file.clone(), stored, range });
        }
        let metadata = table.metadata().clone().unwrap_or_default();
        Ok(SafetensorsFile { path: file.path().to_path_buf(), infos, tensors, metadata })
    }

    pub(super) fn of_parts(
        path: &Path,
        parts: Vec<(TensorInfo, Stored)>,
        metadata: HashMap<String, String>,
    ) -> Self {
        let (infos, tensors) = parts.into_iter().unzip();
        SafetensorsFile { path: path.to_path_buf(), infos, tensors, metadata }
    }

    /// The tensors and where they are.
    pub(super) fn into_parts(self) -> Vec<(TensorInfo, Stored)> {
        self.infos.into_iter().zip(self.tensors).collect()
    }

    /// Returns the metadata of the file, such as `format`: `pt`.
    pub fn metadata(&self) -> &HashMap<String, String> {
        &self.metadata
    }

    /// Returns the layout convention of the file, by its metadata.
    pub fn format(&self) -> FileFormat {
        match self.metadata.get("format").map(String::as_str) {
            Some(BURN) => FileFormat::BurnSafetensors,
            _ => FileFormat::Safetensors,
        }
    }
}

fn stored_type(dtype: Dtype) -> Option<StoredType> {
    Some(StoredType::Plain(match dtype {
        Dtype::BOOL => DType::Bool,
        Dtype::U8 => DType::U8,
        Dtype::I8 => DType::I8,
        Dtype::I16 => DType::I16,
        Dtype::U16 => DType::U16,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::BF16,
        Dtype::I32 => DType::I32,
        Dtype::U32 => DType::U32,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        Dtype::I64 => DType::I64,
        Dtype::U64 => DType::U64,
        Dtype::F8_E4M3 => return Some(StoredType::Float8(Float8::E4M3)),
        Dtype::F8_E5M2 => return Some(StoredType::Float8(Float8::E5M2)),
        _ => return None,
    }))
}

impl TensorSource for SafetensorsFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, index: usize) -> Result<TensorData, RecordError> {
        let (Stored { file, stored, range }, info) = (&self.tensors[index], &self.infos[index]);
        let data = match stored {
            None => Err(format!("elements of type {} are not read", info.stored_as)),
            Some(stored) => stored.decode_part(file, range.clone(), info.shape.clone()),
        };
        data.map_err(|cause| format_error(FORMAT, &file.name(), format!("`{}`: {cause}", info.name)))
    }
}
