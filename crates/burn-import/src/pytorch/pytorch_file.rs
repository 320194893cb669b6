use super::flatten;
use super::legacy_file::{LegacyFile, is_legacy};
use super::pickle::{self, Heap, PickleValue, StoredTensor};
use super::zip_file::ZipFile;
use crate::file_bytes::FileBytes;
use crate::stored_type::{StoredType, checked_shape, format_error};
use crate::{FileFormat, LoadArgs};
use burn_core::record::RecordError;
use burn_core::tensor::TensorData;
use burn_core::weights::{TensorInfo, TensorSource, Weights};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const FORMAT: &str = "torch.save";

/// Opens a file of `torch.save`: its tensors, under the names that `args` give them. Nothing of them is read
/// yet.
///
/// # Errors
/// The file cannot be read, is damaged, of big-endian numbers or of another format, or its pickle names
/// something else than the classes that tensors need, in which case none of it is run.
pub fn open(args: impl Into<LoadArgs>) -> Result<Weights, RecordError> {
    let args = args.into();
    args.select(Arc::new(PyTorchFile::open(args.path())?), FileFormat::PyTorch)
}

/// A file of `torch.save`, whose tensors are read when they are asked for.
#[derive(Debug)]
pub struct PyTorchFile {
    file: FileBytes,
    infos: Vec<TensorInfo>,
    tensors: Vec<(StoredTensor, Range<u64>)>,
}

impl PyTorchFile {
    /// Opens the file at `path`, in the format of PyTorch 1.6 and later, or the one before.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let file = FileBytes::open(path)?;
        let error = |cause: String| format_error(FORMAT, &file.name(), cause);
        let Content { heap, root, storages } = Content::read(&file).map_err(error)?;
        let (mut infos, mut tensors) = (Vec::new(), Vec::new());
        for (name, tensor) in flatten::tensors(&heap, root).map_err(error)? {
            let at = |cause: String| error(format!("`{name}`: {cause}"));
            let range = storages.find(&tensor).map_err(at)?;
            tensor.layout.check(tensor.stored, range.end - range.start, file.len() as u64).map_err(at)?;
            infos.push(info(&name, &tensor).ok_or_else(|| at("sizes beyond memory".to_string()))?);
            tensors.push((tensor, range));
        }
        Ok(PyTorchFile { file, infos, tensors })
    }
}

fn info(name: &str, tensor: &StoredTensor) -> Option<TensorInfo> {
    let shape = checked_shape(&tensor.layout.sizes, tensor.stored.size())?;
    let info = TensorInfo::new(name, shape, tensor.stored.dtype());
    Some(match tensor.stored {
        StoredType::Plain(_) => info,
        StoredType::Float8(format) => {
            TensorInfo { stored_as: Cow::Owned(format!("F8_{format:?}").to_uppercase()), ..info }
        }
    })
}

impl TensorSource for PyTorchFile {
    fn name(&self) -> String {
        self.file.name()
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, index: usize) -> Result<TensorData, RecordError> {
        let (tensor, range) = &self.tensors[index];
        let data = match (tensor.layout.contiguous_bytes(tensor.stored), self.file.part(range.clone())) {
            (_, None) => Err("truncated".to_string()),
            (Some(bytes), _) => {
                let part = range.start + bytes.start..range.start + bytes.end;
                tensor.stored.decode_part(&self.file, part, self.infos[index].shape.clone())
            }
            (None, Some(storage)) => tensor.layout.read(tensor.stored, storage),
        };
        let name = &self.infos[index].name;
        data.map_err(|cause| format_error(FORMAT, &self.file.name(), format!("`{name}`: {cause}")))
    }
}

/// The objects of the pickle in the file at `path`, and the one that was saved.
pub(super) fn read_pickle(path: &Path) -> Result<(Heap, PickleValue), RecordError> {
    let file = FileBytes::open(path)?;
    let content = Content::read(&file).map_err(|cause| format_error(FORMAT, &file.name(), cause))?;
    Ok((content.heap, content.root))
}

enum Storages {
    Zip(ZipFile),
    Legacy(LegacyFile),
}

impl Storages {
    fn find(&self, tensor: &StoredTensor) -> Result<Range<u64>, String> {
        match self {
            Storages::Zip(zip) => zip.storage(tensor),
            Storages::Legacy(legacy) => legacy.storage(&tensor.storage.key),
        }
    }
}

struct Content {
    heap: Heap,
    root: PickleValue,
    storages: Storages,
}

impl Content {
    fn read(file: &FileBytes) -> Result<Self, String> {
        let mut heap = Heap::default();
        if file.starts_with(b"PK") {
            let zip = ZipFile::open(file)?;
            let (root, _) = pickle::run(zip.pickle(file)?, &mut heap)?;
            return Ok(Content { heap, root, storages: Storages::Zip(zip) });
        }
        if is_legacy(file) {
            let (root, legacy) = LegacyFile::open(file, &mut heap)?;
            return Ok(Content { heap, root, storages: Storages::Legacy(legacy) });
        }
        // The name of the first entry fills a block of 512 bytes, whose magic number is at this offset.
        if file.get(257..262) == Some(b"ustar") {
            return Err(
                "a tar file of PyTorch 0.1; load it with a later version and save it again".to_string()
            );
        }
        Err("not a file of torch.save: neither a zip file nor the number that older ones begin with"
            .to_string())
    }
}
