//! Matrices of quantized blocks as nodes: their format, and the bytes of the blocks, which no recorder rounds.

use super::envelope::dtype;
use super::fields::FieldReader;
use super::quantized::{DTYPE, SHAPE, TYPE, VALUES, check_size, sizes};
use super::{KeyPath, Node, RecordError, RecordMismatch};
use crate::tensor::quantization::{BlockFormat, BlockTensor, PackedBlocks};
use crate::tensor::{Backend, DType, HasSpec, Int, Tensor, TensorData};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

/// Key of whether the matrix is the transpose of the stored rows.
const TRANSPOSED: &str = "transposed";

/// Returns the block format of a quantized tensor that has one.
pub fn format_of(node: &Node) -> Option<BlockFormat> {
    let Some(Node::Text(name)) = node.get(TYPE) else { return None };
    BlockFormat::ALL.into_iter().find(|format| format.name() == name)
}

pub fn write<B: Backend>(blocks: &BlockTensor<B>) -> Node {
    let PackedBlocks { blocks: bytes, format, transposed, dtype } = blocks.packed().clone();
    let bytes = Tensor::<B, 2, Int>::from_handle(bytes).into_data();
    let shape = blocks.spec().shape.iter().map(|&size| Node::UInt(size as u64)).collect();
    let fields = [
        (TYPE, Node::Text(format.name().to_string())),
        (TRANSPOSED, Node::Bool(transposed)),
        (SHAPE, Node::List(shape)),
        (DTYPE, Node::Text(dtype.name().to_string())),
        (VALUES, Node::Bytes(bytes.into_bytes())),
    ];
    Node::Map(fields.into_iter().map(|(key, node)| (key.to_string(), node)).collect())
}

/// Reads a matrix of blocks, dequantized to `wanted`.
pub fn read<B: Backend>(
    node: Node,
    at: &KeyPath<'_>,
    rank: usize,
    wanted: DType,
    device: &B::Device,
) -> Result<Tensor<B, 2>, RecordError> {
    let blocks = parse(node, at, rank, wanted)?;
    Tensor::try_from_blocks(blocks, device).map_err(|error| super::tensor::tensor_error(at, &error))
}

fn parse(
    node: Node,
    at: &KeyPath<'_>,
    rank: usize,
    wanted: DType,
) -> Result<PackedBlocks<TensorData>, RecordError> {
    let wrong = |cause: &str| RecordMismatch::value(at, cause.to_string());
    let format = format_of(&node).ok_or_else(|| wrong("quantized blocks of an unknown format"))?;
    let mut fields = FieldReader::new(node, at)?;
    let _type: Node = fields.take(TYPE);
    let Node::Bool(transposed) = fields.take(TRANSPOSED) else {
        return Err(wrong("quantized blocks that do not say whether they are transposed"));
    };
    let shape = sizes(&fields.take(SHAPE)).ok_or_else(|| wrong("a quantized tensor without a shape"))?;
    let [first, second] = shape[..] else {
        return Err(wrong(&format!("expected a matrix of quantized blocks, found shape {shape:?}")));
    };
    if rank != 2 {
        return Err(wrong(&format!("expected a tensor of rank {rank}, found shape {shape:?}")));
    }
    check_size(&shape, wanted, at)?;
    let known = match fields.take(DTYPE) {
        Node::Text(name) => dtype(&name).is_ok_and(DType::is_float),
        _ => false,
    };
    if !known {
        return Err(wrong("quantized blocks of an unknown float type"));
    }
    let bytes: Vec<u8> = match fields.take(VALUES) {
        Node::Bytes(bytes) => bytes,
        other => return Err(RecordMismatch::kind(&at.key(VALUES), "bytes", &other)),
    };
    fields.finish()?;
    let (rows, columns) = if transposed { (second, first) } else { (first, second) };
    let row = format.row_bytes(columns).ok_or_else(|| {
        wrong(&format!(
            "rows of {columns} elements are not whole blocks of {} ({})",
            format.elements(),
            format.name()
        ))
    })?;
    let blocks = TensorData::from_bytes(&bytes, [rows, row], DType::U8)
        .map_err(|error| RecordMismatch::value(&at.key(VALUES), error.to_string()))?;
    Ok(PackedBlocks { blocks, format, transposed, dtype: wanted })
}
