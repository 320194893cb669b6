//! Quantized tensors as nodes: what their numbers are, and their parts as bytes, little end first, which no
//! recorder rounds.

use super::envelope::dtype;
use super::error::tensor_error;
use super::fields::FieldReader;
use super::{KeyPath, Node, RecordError, RecordMismatch};
use crate::tensor::quantization::{
    Packed, QuantizationLevel, QuantizationMode, QuantizationScheme, QuantizationType, QuantizedTensor,
};
use crate::tensor::{Backend, DType, Float, HasSpec, Int, Shape, Tensor, TensorData};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

/// Key that marks a quantized tensor: its number format.
pub const TYPE: &str = "quantized";
const MODE: &str = "mode";
const LEVEL: &str = "level";
/// Key of the channel dimension or of the block size.
const SIZE: &str = "size";
pub const SHAPE: &str = "shape";
/// The element type of the scales.
pub const DTYPE: &str = "dtype";
pub const VALUES: &str = "values";
const SCALE: &str = "scale";
const ZERO: &str = "zero";

pub fn is_quantized(node: &Node) -> bool {
    node.get(TYPE).is_some()
}

/// Returns the shape of a tensor, quantized or not.
#[cfg(feature = "std")]
pub fn shape_of(node: &Node) -> Option<Shape> {
    match node {
        Node::Tensor(data) => Some(data.shape.clone()),
        node if is_quantized(node) => sizes(node.get(SHAPE)?),
        _ => None,
    }
}

pub fn write<B: Backend>(parts: &QuantizedTensor<B>) -> Node {
    let dtype = parts.dtype();
    let Packed { values, scale, zero, scheme, shape } = parts.packed().clone();
    let whole = |part| Tensor::<B, 1, Int>::from_handle(part).into_data();
    let scale = Tensor::<B, 1, Float>::from_handle(scale).into_data();
    tree(Packed { values: whole(values), scale, zero: zero.map(whole), scheme, shape }, dtype)
}

fn tree(parts: Packed<TensorData>, dtype: DType) -> Node {
    let Packed { values, scale, zero, scheme, shape } = parts;
    let text = |text: &str| Node::Text(text.to_string());
    let bytes = |data: TensorData| Node::Bytes(data.as_bytes().to_vec());
    let (level, size) = match scheme.level {
        QuantizationLevel::Tensor => ("tensor", None),
        QuantizationLevel::Channel(dim) => ("channel", Some(dim)),
        QuantizationLevel::Block(size) => ("block", Some(size)),
    };
    let fields = [
        (TYPE, Some(text(scheme.value.name()))),
        (MODE, Some(text(mode_name(scheme.mode)))),
        (LEVEL, Some(text(level))),
        (SIZE, size.map(|size| Node::UInt(size as u64))),
        (SHAPE, Some(Node::List(shape.iter().map(|&size| Node::UInt(size as u64)).collect()))),
        (DTYPE, Some(text(dtype.name()))),
        (VALUES, Some(bytes(values))),
        (SCALE, Some(bytes(scale))),
        (ZERO, zero.map(bytes)),
    ];
    Node::Map(fields.into_iter().filter_map(|(key, node)| Some((key.to_string(), node?))).collect())
}

/// Reads a quantized tensor of `rank`, with its scales converted to `wanted`.
pub fn read<B: Backend>(
    node: Node,
    at: &KeyPath<'_>,
    rank: usize,
    wanted: DType,
    device: &B::Device,
) -> Result<QuantizedTensor<B>, RecordError> {
    let parts = parse(node, at, rank, wanted)?;
    let parts = parts.map(|data| B::from_data(data, device));
    QuantizedTensor::try_new(parts).map_err(|error| tensor_error(at, &error))
}

/// Parses the parts, each of one dimension, without checking that they fit each other.
fn parse(
    node: Node,
    at: &KeyPath<'_>,
    rank: usize,
    wanted: DType,
) -> Result<Packed<TensorData>, RecordError> {
    let wrong = |cause: &str| RecordMismatch::value(at, cause.to_string());
    let mut fields = FieldReader::new(node, at)?;
    let (value, mode) = (fields.take(TYPE), fields.take(MODE));
    let (level, size) = (fields.take(LEVEL), fields.take(SIZE));
    let scheme = QuantizationScheme {
        value: value_of(&value).ok_or_else(|| wrong("quantized numbers of an unknown type"))?,
        mode: mode_of(&mode).ok_or_else(|| wrong("quantized in an unknown mode"))?,
        level: level_of(&level, &size).ok_or_else(|| wrong("quantized with scales at an unknown level"))?,
    };
    let shape = sizes(&fields.take(SHAPE)).ok_or_else(|| wrong("a quantized tensor without a shape"))?;
    if shape.rank() != rank {
        return Err(wrong(&format!("expected a tensor of rank {rank}, found shape {shape:?}")));
    }
    check_size(&shape, wanted, at)?;
    let scale_type = match fields.take(DTYPE) {
        Node::Text(name) => dtype(&name).ok().filter(|dtype| dtype.is_float()),
        _ => None,
    };
    let scale_type = scale_type.ok_or_else(|| wrong("scales of an unknown type"))?;
    let values = list(fields.take(VALUES), VALUES, at, DType::I32)?;
    let scale = list(fields.take(SCALE), SCALE, at, scale_type)?;
    let scale =
        scale.try_convert_dtype(wanted).map_err(|error| RecordMismatch::value(at, error.to_string()))?;
    let zero = match fields.take(ZERO) {
        Node::Null => None,
        zero => Some(list(zero, ZERO, at, DType::I32)?),
    };
    fields.finish()?;
    Ok(Packed { values, scale, zero, scheme, shape })
}

/// Checks that memory can hold the dequantized elements.
pub fn check_size(shape: &Shape, dtype: DType, at: &KeyPath<'_>) -> Result<(), RecordError> {
    // Strides of a tensor without elements have to fit too, as those of what it is dequantized to.
    let bytes = shape.iter().try_fold(dtype.size(), |bytes, &size| bytes.checked_mul(size.max(1)));
    match bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        true => Ok(()),
        false => Err(RecordMismatch::value(at, format!("{shape:?} has more elements than memory can hold"))),
    }
}

/// Reads a list of elements, as many as there are bytes for.
fn list(node: Node, key: &str, at: &KeyPath<'_>, dtype: DType) -> Result<TensorData, RecordError> {
    let at = at.key(key);
    let Node::Bytes(bytes) = node else { return Err(RecordMismatch::kind(&at, "bytes", &node)) };
    let count = bytes.len() / dtype.size();
    TensorData::from_bytes(&bytes, [count], dtype)
        .map_err(|error| RecordMismatch::value(&at, error.to_string()))
}

pub fn sizes(node: &Node) -> Option<Shape> {
    let Node::List(sizes) = node else { return None };
    let sizes: Option<Vec<usize>> = sizes.iter().map(index).collect();
    sizes.map(Shape::from)
}

fn index(node: &Node) -> Option<usize> {
    match node {
        Node::UInt(number) => usize::try_from(*number).ok(),
        Node::Int(number) => usize::try_from(*number).ok(),
        _ => None,
    }
}

fn mode_name(mode: QuantizationMode) -> &'static str {
    match mode {
        QuantizationMode::Symmetric => "symmetric",
        QuantizationMode::Affine => "affine",
    }
}

fn mode_of(node: &Node) -> Option<QuantizationMode> {
    let Node::Text(name) = node else { return None };
    [QuantizationMode::Symmetric, QuantizationMode::Affine].into_iter().find(|mode| mode_name(*mode) == name)
}

fn value_of(node: &Node) -> Option<QuantizationType> {
    let Node::Text(name) = node else { return None };
    QuantizationType::ALL.into_iter().find(|value| value.name() == name)
}

fn level_of(level: &Node, size: &Node) -> Option<QuantizationLevel> {
    let Node::Text(level) = level else { return None };
    match (level.as_str(), size) {
        ("tensor", Node::Null) => Some(QuantizationLevel::Tensor),
        ("channel", size) => index(size).map(QuantizationLevel::Channel),
        ("block", size) => index(size).map(QuantizationLevel::Block),
        _ => None,
    }
}
