//! Tensors of a file as host data.

use super::TensorProto;
use burn_ir::{DType, TensorData};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Element types of `TensorProto.DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType(pub i32);

impl ElementType {
    const NAMES: [&'static str; 25] = [
        "undefined",
        "float32",
        "uint8",
        "int8",
        "uint16",
        "int16",
        "int32",
        "int64",
        "string",
        "bool",
        "float16",
        "float64",
        "uint32",
        "uint64",
        "complex64",
        "complex128",
        "bfloat16",
        "float8e4m3fn",
        "float8e4m3fnuz",
        "float8e5m2",
        "float8e5m2fnuz",
        "uint4",
        "int4",
        "float4e2m1",
        "float8e8m0",
    ];

    /// Returns the dtype of tensors that hold it.
    ///
    /// # Errors
    /// When tensors have no such elements: texts, complex numbers, numbers of 8 bits or less with a fraction.
    pub fn dtype(self) -> Result<DType, String> {
        Ok(match self.0 {
            1 => DType::F32,
            2 => DType::U8,
            3 => DType::I8,
            4 => DType::U16,
            5 => DType::I16,
            6 => DType::I32,
            7 => DType::I64,
            9 => DType::Bool,
            10 => DType::F16,
            11 => DType::F64,
            12 => DType::U32,
            13 => DType::U64,
            16 => DType::BF16,
            _ => return Err(format!("elements of type {self} are not supported")),
        })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match usize::try_from(self.0).ok().and_then(|index| Self::NAMES.get(index)) {
            Some(name) => f.write_str(name),
            None => write!(f, "{} (unknown)", self.0),
        }
    }
}

/// The folder of a model, in which its external data lies. Each file is read once.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    path: Option<PathBuf>,
    /// Contents by path without links, so that no other spelling of it reads a file again.
    files: RefCell<HashMap<PathBuf, Rc<Vec<u8>>>>,
    /// Bytes that tensors may still take of the files: what these hold, and some more for tensors that share
    /// bytes.
    left: Cell<u64>,
}

impl Folder {
    /// A folder whose tensors may share `shared` bytes.
    pub(crate) fn new(path: Option<&Path>, shared: u64) -> Self {
        Folder { path: path.map(Path::to_path_buf), files: RefCell::default(), left: Cell::new(shared) }
    }

    fn file(&self, location: &str) -> Result<Rc<Vec<u8>>, String> {
        let Some(folder) = &self.path else {
            return Err(format!("external data `{location}` needs a model that is loaded from a file"));
        };
        let inside = Path::new(location).components().all(|part| matches!(part, Component::Normal(_)));
        let path = folder.join(location);
        // A link must not lead out of the folder either.
        let real =
            path.canonicalize().map_err(|error| format!("external data {}: {error}", path.display()))?;
        let root = folder.canonicalize().map_err(|error| format!("folder {}: {error}", folder.display()))?;
        if !inside || !real.starts_with(&root) {
            return Err(format!("external data `{location}` is outside of the model's folder"));
        }
        if let Some(file) = self.files.borrow().get(&real) {
            return Ok(file.clone());
        }
        let bytes = burn_io::read_file(&real)
            .map_err(|error| format!("external data {}: {error}", path.display()))?;
        self.left.set(self.left.get().saturating_add(bytes.len() as u64));
        let bytes = Rc::new(bytes);
        self.files.borrow_mut().insert(real, bytes.clone());
        Ok(bytes)
    }
}

/// The elements of a tensor.
///
/// # Errors
/// When its dimensions, its elements or its file are not what they should be.
pub(crate) fn tensor_data(tensor: &TensorProto, folder: &Folder) -> Result<TensorData, String> {
    let named = |reason: String| format!("tensor `{}`: {reason}", tensor.name);
    read(tensor, folder).map_err(named)
}

fn read(tensor: &TensorProto, folder: &Folder) -> Result<TensorData, String> {
    if tensor.segment.is_some() {
        return Err("tensors in segments are not supported".into());
    }
    let dtype = ElementType(tensor.data_type).dtype()?;
    let mut shape = Vec::with_capacity(tensor.dims.len().min(64));
    if tensor.dims.len() > 64 {
        return Err(format!("{} dimensions are more than 64", tensor.dims.len()));
    }
    let (mut count, mut bytes) = (1_usize, dtype.size());
    for &dim in &tensor.dims {
        let dim = usize::try_from(dim).map_err(|_| format!("dimension {dim} is negative"))?;
        count = count.checked_mul(dim).ok_or("the dimensions have more elements than memory can hold")?;
        // Dimensions of size 0 hide a product that does not fit.
        bytes =
            bytes.checked_mul(dim.max(1)).ok_or("the dimensions have more elements than memory can hold")?;
        shape.push(dim);
    }
    if isize::try_from(bytes).is_err() {
        return Err("the dimensions have more elements than memory can hold".into());
    }
    if tensor.data_location == 1 {
        return external(tensor, folder, shape, count, dtype);
    }
    if !tensor.raw_data.is_empty() || count == 0 {
        return from_bytes(&tensor.raw_data, shape, dtype);
    }
    from_fields(tensor, shape, count, dtype)
}

/// The elements that are stored as numbers, in the field of their type.
fn from_fields(
    tensor: &TensorProto,
    shape: Vec<usize>,
    count: usize,
    dtype: DType,
) -> Result<TensorData, String> {
    let wrong = |found: usize| format!("{found} elements are stored for dimensions {:?}", tensor.dims);
    let ints = || tensor.int32_data.iter().map(|&value| i64::from(value));
    let data = match dtype {
        DType::F32 if tensor.float_data.len() == count => TensorData::new(&tensor.float_data[..], shape),
        DType::F64 if tensor.double_data.len() == count => TensorData::new(&tensor.double_data[..], shape),
        DType::I64 if tensor.int64_data.len() == count => TensorData::new(&tensor.int64_data[..], shape),
        DType::U64 | DType::U32 if tensor.uint64_data.len() == count => {
            TensorData::new(&tensor.uint64_data[..], shape).convert_dtype(dtype)
        }
        DType::F16 | DType::BF16 if tensor.int32_data.len() == count => {
            let bits: Vec<u8> = ints().flat_map(|value| (value as u16).to_ne_bytes()).collect();
            return from_bytes(&bits, shape, dtype);
        }
        DType::I32 | DType::I16 | DType::I8 | DType::U16 | DType::U8 | DType::Bool
            if tensor.int32_data.len() == count =>
        {
            TensorData::new(ints().collect::<Vec<_>>(), shape).convert_dtype(dtype)
        }
        DType::F32 => return Err(wrong(tensor.float_data.len())),
        DType::F64 => return Err(wrong(tensor.double_data.len())),
        DType::I64 => return Err(wrong(tensor.int64_data.len())),
        DType::U64 | DType::U32 => return Err(wrong(tensor.uint64_data.len())),
        DType::F16
        | DType::BF16
        | DType::I32
        | DType::I16
        | DType::I8
        | DType::U16
        | DType::U8
        | DType::Bool => {
            return Err(wrong(tensor.int32_data.len()));
        }
    };
    Ok(data)
}

fn from_bytes(bytes: &[u8], shape: Vec<usize>, dtype: DType) -> Result<TensorData, String> {
    TensorData::from_bytes(bytes, shape, dtype).map_err(|error| error.to_string())
}

fn external(
    tensor: &TensorProto,
    folder: &Folder,
    shape: Vec<usize>,
    count: usize,
    dtype: DType,
) -> Result<TensorData, String> {
    let entry =
        |key: &str| tensor.external_data.iter().find(|entry| entry.key == key).map(|entry| &entry.value[..]);
    let number = |key: &str| match entry(key) {
        Some(text) => {
            text.parse::<usize>().map(Some).map_err(|_| format!("external {key} `{text}` is no number"))
        }
        None => Ok(None),
    };
    let location = entry("location").ok_or("external data has no location")?;
    let file = folder.file(location)?;
    let start = number("offset")?.unwrap_or(0);
    // The product was checked before.
    let size = count * dtype.size();
    let length = number("length")?.unwrap_or(size);
    let bytes = start.checked_add(length).and_then(|end| file.get(start..end));
    let Some(bytes) = bytes else {
        let found = file.len();
        return Err(format!(
            "external data `{location}` has {found} bytes, expected {length} from byte {start}"
        ));
    };
    let Some(left) = folder.left.get().checked_sub(bytes.len() as u64) else {
        return Err(format!(
            "external data `{location}` is that of too many tensors; expected at most `Limits::bytes` beyond the size of the files"
        ));
    };
    folder.left.set(left);
    from_bytes(bytes, shape, dtype)
}
