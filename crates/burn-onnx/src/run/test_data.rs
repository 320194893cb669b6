//! Values in the files of ONNX's test data.

use super::RunValue;
use crate::graph::ValueType;
use crate::proto::{Folder, OptionalProto, SequenceProto, TensorProto, decode_value, tensor_data};
use burn_backend::Backend;
use bytes::Bytes;

/// Reads a value of test data, such as `input_0.pb`, which is a message of the type that the model declares.
///
/// # Errors
/// When the bytes are no such message.
pub fn read_value<B: Backend>(bytes: impl Into<Bytes>, declared: &ValueType) -> Result<RunValue<B>, String> {
    let bytes = bytes.into();
    match declared {
        ValueType::Sequence(_) => sequence(&decode_value(bytes)?),
        ValueType::Optional(_) => {
            let optional: OptionalProto = decode_value(bytes)?;
            let value = match (&optional.tensor_value, &optional.sequence_value) {
                (Some(value), _) => Some(Box::new(tensor(value)?)),
                (None, Some(values)) => Some(Box::new(sequence(values)?)),
                (None, None) => None,
            };
            Ok(RunValue::Optional(value))
        }
        ValueType::Tensor { .. } | ValueType::Unsupported(_) | ValueType::Undeclared => {
            tensor(&decode_value(bytes)?)
        }
    }
}

fn tensor<B: Backend>(value: &TensorProto) -> Result<RunValue<B>, String> {
    Ok(RunValue::Data(tensor_data(value, &Folder::default())?))
}

fn sequence<B: Backend>(values: &SequenceProto) -> Result<RunValue<B>, String> {
    let tensors = values.tensor_values.iter().map(tensor);
    let inner = values.sequence_values.iter().map(sequence);
    Ok(RunValue::Sequence(tensors.chain(inner).collect::<Result<_, _>>()?))
}
