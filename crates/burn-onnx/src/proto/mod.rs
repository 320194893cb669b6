//! The file format: protobuf messages with the field numbers of `onnx.proto`, and what is checked while they
//! are read.

mod messages;
mod model;
mod scan;
mod tensor;

pub(crate) use messages::{
    AttributeProto, ElementTypeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto,
    TypeProto, ValueInfoProto,
};
#[cfg(feature = "export")]
pub(crate) use messages::{
    DimensionProto, OperatorSetIdProto, StringStringEntryProto, TensorShapeProto, TensorTypeProto,
};
#[cfg(feature = "run")]
pub(crate) use messages::{OptionalProto, SequenceProto};
pub(crate) use model::{decode_model, decode_value};
pub use tensor::ElementType;
pub(crate) use tensor::{Folder, tensor_data};
