use super::ModelProto;
use super::scan::{self, Message};
use bytes::Bytes;

/// Decodes a model, after a look at its size.
///
/// # Errors
/// When the bytes are no model, or hold more than the limits.
pub(crate) fn decode_model(bytes: Bytes) -> Result<ModelProto, String> {
    scan::check(Message::Model, &bytes)?;
    prost::Message::decode(bytes).map_err(|error| error.to_string())
}

/// Decodes a tensor, a sequence or an optional of test data.
///
/// # Errors
/// When the bytes are no such message.
pub(crate) fn decode_value<M: prost::Message + Default>(bytes: Bytes) -> Result<M, String> {
    scan::check(Message::Other, &bytes)?;
    M::decode(bytes).map_err(|error| error.to_string())
}
