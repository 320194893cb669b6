//! Tensors as nodes.

use super::error::tensor_error;
use super::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch, quantized, quantized_blocks};
use crate::tensor::quantization::PackedBlocks;
use crate::tensor::{Backend, DType, Tensor, TensorData, TensorKind, TensorPrimitive};
use crate::weights::Weights;
use alloc::format;
use alloc::string::ToString;

impl<B: Backend, const D: usize, K: TensorKind> IntoNode for Tensor<B, D, K> {
    fn into_node(self) -> Node {
        if !self.is_quantized() {
            return Node::Tensor(self.into_data());
        }
        match K::unwrap::<B>(self.into_primitive()) {
            TensorPrimitive::QFloat(parts) => quantized::write(&parts),
            TensorPrimitive::Blocks(blocks) => quantized_blocks::write(&blocks),
            TensorPrimitive::Float(handle) => Node::Tensor(Self::from_handle(handle).into_data()),
        }
    }
}

impl<B: Backend, const D: usize, K: TensorKind> Record<B> for Tensor<B, D, K> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let wanted = K::dtype::<B>();
        if wanted.is_float()
            && let Some(blocks) = blocks(&node, D, wanted)?
        {
            let tensor = Tensor::<B, 2>::try_from_blocks(blocks, device);
            let tensor = tensor.map_err(|error| tensor_error(at, &error))?;
            return Ok(Tensor::from_primitive(K::wrap::<B>(tensor.into_primitive())));
        }
        if wanted.is_float() && quantized_blocks::format_of(&node).is_some() {
            let tensor = quantized_blocks::read::<B>(node, at, D, wanted, device)?;
            return Ok(Tensor::from_primitive(K::wrap::<B>(tensor.into_primitive())));
        }
        if wanted.is_float() && quantized::is_quantized(&node) {
            let parts = quantized::read::<B>(node, at, D, wanted, device)?;
            return Ok(Tensor::from_primitive(K::wrap::<B>(TensorPrimitive::QFloat(parts))));
        }
        Tensor::try_from_data(data(node, at, D, wanted)?, device).map_err(|error| tensor_error(at, &error))
    }
}

impl IntoNode for TensorData {
    fn into_node(self) -> Node {
        Node::Tensor(self)
    }
}

impl<B: Backend> Record<B> for TensorData {
    fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        match node {
            Node::Tensor(data) => Ok(data),
            Node::Weights(weights) => match weights.leaf() {
                Some(tensor) => weights.read_tensor(tensor),
                None => Err(RecordMismatch::missing(at)),
            },
            other => Err(RecordMismatch::kind(at, "a tensor", &other)),
        }
    }
}

/// Reads the quantized blocks of a matrix of a file, if the file has such and they are to be kept.
fn blocks(node: &Node, rank: usize, dtype: DType) -> Result<Option<PackedBlocks<TensorData>>, RecordError> {
    let Node::Weights(weights) = node else { return Ok(None) };
    match weights.leaf() {
        Some(tensor) if rank == 2 => {
            Ok(weights.read_packed(tensor)?.map(|blocks| PackedBlocks { dtype, ..blocks }))
        }
        Some(_) | None => Ok(None),
    }
}

/// Reads the data of a tensor of `rank`, with elements of the kind of `wanted` and any width.
fn data(node: Node, at: &KeyPath<'_>, rank: usize, wanted: DType) -> Result<TensorData, RecordError> {
    let data = match node {
        Node::Tensor(data) => data,
        Node::Weights(weights) => return weights_data(&weights, at, rank, wanted),
        other => return Err(RecordMismatch::kind(at, "a tensor", &other)),
    };
    let (shape, dtype) = (&data.shape, data.dtype);
    if shape.rank() != rank {
        return Err(RecordMismatch::value(
            at,
            format!("expected a tensor of rank {rank}, found shape {shape:?}"),
        ));
    }
    if kind(dtype) != kind(wanted) {
        let (expected, found) = (kind(wanted), dtype.name());
        return Err(RecordMismatch::value(at, format!("expected {expected} elements, found {found}")));
    }
    data.try_convert_dtype(wanted).map_err(|error| RecordMismatch::value(at, error.to_string()))
}

/// Reads a tensor of a file, only if its rank and type are the expected ones.
fn weights_data(
    weights: &Weights,
    at: &KeyPath<'_>,
    rank: usize,
    wanted: DType,
) -> Result<TensorData, RecordError> {
    let Some(tensor) = weights.leaf() else { return Err(RecordMismatch::missing(at)) };
    // A scalar of another framework is a list of one element here (decision 14).
    let is_scalar = tensor.shape().rank() == 0 && rank == 1;
    if (tensor.shape().rank() != rank && !is_scalar) || kind(tensor.dtype()) != kind(wanted) {
        let (expected, found) = (kind(wanted), tensor.dtype());
        let cause = format!(
            "expected a tensor of rank {rank} with {expected} elements, found {found} of shape {:?}",
            tensor.shape()
        );
        return Err(RecordMismatch::value(at, cause));
    }
    let mut data = weights.read_tensor(tensor)?;
    if is_scalar {
        data.shape = [1].into();
    }
    data.try_convert_dtype(wanted).map_err(|error| RecordMismatch::value(at, error.to_string()))
}

fn kind(dtype: DType) -> &'static str {
    if dtype.is_float() {
        "float"
    } else if dtype == DType::Bool {
        "bool"
    } else {
        "integer"
    }
}
