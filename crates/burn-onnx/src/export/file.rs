//! The model as the bytes of a file, with large weights in a second one.

use super::error::ExportError;
use crate::proto::{
    DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto,
    TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use burn_ir::{DType, TensorData};
use bytes::Bytes;
use prost::Message;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Version of the operator set: the one that has `Gelu`, and that onnxruntime has run since 1.17.
pub(super) const OPSET: i64 = 20;
/// Version of the file format that came with the operator set.
const IR_VERSION: i64 = 9;

/// Bytes of weights from which on they go to a file of their own.
pub(super) const DEFAULT_EXTERNAL_DATA_ABOVE: u64 = 1 << 30;
/// The most bytes of weights in one message, which has to be smaller than 2 GiB as a whole.
pub(super) const LARGEST_MESSAGE: u64 = (1 << 31) - (1 << 26);

/// Weights begin at multiples of this in their file, so that readers can map them into memory.
const ALIGNMENT: u64 = 64;

/// A graph with names and types of its inputs and outputs.
pub(super) struct ModelFile {
    pub graph_name: String,
    pub nodes: Vec<NodeProto>,
    pub initializers: Vec<(String, TensorData)>,
    pub inputs: Vec<ValueInfoProto>,
    pub outputs: Vec<ValueInfoProto>,
}

impl ModelFile {
    fn weight_bytes(&self) -> u64 {
        self.initializers.iter().map(|(_, data)| data.as_bytes().len() as u64).sum()
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>, ExportError> {
        let bytes = self.weight_bytes();
        if bytes > LARGEST_MESSAGE {
            return Err(ExportError::TooLarge { bytes });
        }
        let initializers = self.initializers.iter().map(|(name, data)| tensor_proto(name, data));
        Ok(self.message(initializers.collect()).encode_to_vec())
    }

    /// Writes the file, and before it that of the weights if they have more than `limit` bytes.
    pub fn save(&self, path: &Path, limit: u64) -> Result<(), ExportError> {
        if self.weight_bytes() <= limit {
            return write(path, &self.to_bytes()?);
        }
        let mut name = path.file_name().map(OsString::from).unwrap_or_default();
        name.push(".data");
        let location = name.to_string_lossy().into_owned();
        let data_path = path.with_file_name(&name);
        let mut offset = 0_u64;
        let mut tensors = Vec::with_capacity(self.initializers.len());
        for (name, data) in &self.initializers {
            offset = offset.next_multiple_of(ALIGNMENT);
            let length = data.as_bytes().len() as u64;
            tensors.push(external_proto(name, data, &location, offset));
            offset += length;
        }
        burn_io::write_atomic(&data_path, &mut |file| {
            let mut written = 0_u64;
            for (_, data) in &self.initializers {
                let padding = written.next_multiple_of(ALIGNMENT) - written;
                file.write_all(&[0; ALIGNMENT as usize][..padding as usize])?;
                file.write_all(data.as_bytes())?;
                written += padding + data.as_bytes().len() as u64;
            }
            Ok(())
        })
        .map_err(|source| ExportError::Write { path: data_path.clone(), source })?;
        write(path, &self.message(tensors).encode_to_vec())
    }

    fn message(&self, initializer: Vec<TensorProto>) -> ModelProto {
        let graph = GraphProto {
            node: self.nodes.clone(),
            name: self.graph_name.clone(),
            initializer,
            input: self.inputs.clone(),
            output: self.outputs.clone(),
            ..GraphProto::default()
        };
        ModelProto {
            ir_version: IR_VERSION,
            opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPSET }],
            producer_name: "burn".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            graph: Some(graph),
            functions: Vec::new(),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    burn_io::write_atomic(path, &mut |file| file.write_all(bytes))
        .map_err(|source| ExportError::Write { path: PathBuf::from(path), source })
}

/// The number of an element type in the format.
pub(super) fn data_type(dtype: DType) -> i32 {
    match dtype {
        DType::F32 => 1,
        DType::U8 => 2,
        DType::I8 => 3,
        DType::U16 => 4,
        DType::I16 => 5,
        DType::I32 => 6,
        DType::I64 => 7,
        DType::Bool => 9,
        DType::F16 => 10,
        DType::F64 => 11,
        DType::U32 => 12,
        DType::U64 => 13,
        DType::BF16 => 16,
    }
}

/// A tensor without its elements.
fn header(name: &str, data: &TensorData) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: data.shape.iter().map(|&size| size as i64).collect(),
        data_type: data_type(data.dtype),
        ..TensorProto::default()
    }
}

/// A tensor with its elements, little-endian.
pub(super) fn tensor_proto(name: &str, data: &TensorData) -> TensorProto {
    TensorProto { raw_data: Bytes::copy_from_slice(data.as_bytes()), ..header(name, data) }
}

fn external_proto(name: &str, data: &TensorData, location: &str, offset: u64) -> TensorProto {
    let entry = |key: &str, value: String| StringStringEntryProto { key: key.into(), value };
    let external_data = vec![
        entry("location", location.into()),
        entry("offset", offset.to_string()),
        entry("length", data.as_bytes().len().to_string()),
    ];
    TensorProto { external_data, data_location: 1, ..header(name, data) }
}

/// Size of a dimension of an input or output.
pub(super) enum DeclaredDim {
    Size(usize),
    Named(String),
    Open,
}

/// Name and type of an input or output.
pub(super) fn value_info(name: &str, dtype: DType, dims: Vec<DeclaredDim>) -> ValueInfoProto {
    let dim = dims.into_iter().map(|dim| match dim {
        DeclaredDim::Size(size) => DimensionProto { dim_value: Some(size as i64), dim_param: None },
        DeclaredDim::Named(name) => DimensionProto { dim_value: None, dim_param: Some(name) },
        DeclaredDim::Open => DimensionProto::default(),
    });
    let shape = Some(TensorShapeProto { dim: dim.collect() });
    let tensor_type = Some(TensorTypeProto { elem_type: data_type(dtype), shape });
    let value_type = TypeProto { tensor_type, ..TypeProto::default() };
    ValueInfoProto { name: name.into(), r#type: Some(value_type) }
}
