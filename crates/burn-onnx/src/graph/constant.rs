use crate::proto::{Folder, TensorProto, decode_value, tensor_data};
use burn_ir::TensorData;
use bytes::Bytes;
use std::sync::Arc;

/// Values that are part of the model: an initializer, or the value of a `Constant` node.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Name of the initializer, or of the output of the node.
    pub name: String,
    /// The elements. Rank 0 is possible here.
    pub data: Arc<TensorData>,
}

/// Reads the file of a tensor, such as `input_0.pb` of ONNX's test data.
///
/// # Errors
/// When the bytes are no tensor, or tensors have no such elements.
pub fn read_tensor(bytes: impl Into<Bytes>) -> Result<TensorData, String> {
    let tensor: TensorProto = decode_value(bytes.into())?;
    tensor_data(&tensor, &Folder::default())
}
