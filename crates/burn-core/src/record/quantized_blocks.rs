//! Matrices of quantized blocks as nodes: their format, and the bytes of the blocks, which no recorder
//! rounds.

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
    Tensor::try_from_blocks(blocks, device).map_err(|error| super::error::tensor_error(at, &error))
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    /// Two rows of one block of `Q8_0`, with one field replaced.
    fn node(key: &str, value: Node) -> Node {
        let fields = [
            (TYPE, Node::Text("Q8_0".into())),
            (TRANSPOSED, Node::Bool(true)),
            (SHAPE, Node::List(vec![Node::UInt(32), Node::UInt(2)])),
            (DTYPE, Node::Text("f32".into())),
            (VALUES, Node::Bytes(vec![1; 68])),
        ];
        let field = |(own, node): (&str, Node)| (own.into(), if own == key { value.clone() } else { node });
        Node::Map(fields.into_iter().map(field).collect())
    }

    fn error(key: &str, value: Node) -> String {
        parse(node(key, value), &KeyPath::ROOT, 2, DType::F32).unwrap_err().to_string()
    }

    #[test]
    fn a_record_of_blocks_has_the_stored_rows() {
        let blocks = parse(node("", Node::Null), &KeyPath::ROOT, 2, DType::F16).unwrap();
        assert_eq!((blocks.format, blocks.transposed, blocks.dtype), (BlockFormat::Q8_0, true, DType::F16));
        assert_eq!((&blocks.blocks.shape[..], blocks.blocks.dtype), (&[2, 34][..], DType::U8));
    }

    #[test]
    fn damaged_records_of_blocks_are_errors_that_say_what_is_wrong() {
        let sizes = |sizes: &[u64]| Node::List(sizes.iter().map(|&size| Node::UInt(size)).collect());
        for (key, value, wanted) in [
            (TRANSPOSED, Node::UInt(1), "do not say whether they are transposed"),
            (SHAPE, sizes(&[32]), "expected a matrix of quantized blocks, found shape [32]"),
            (SHAPE, sizes(&[33, 2]), "rows of 33 elements are not whole blocks of 32 (Q8_0)"),
            (SHAPE, sizes(&[u64::MAX, 2]), "has more elements than memory can hold"),
            (SHAPE, sizes(&[64, 2]), "68 bytes are not the u8 elements of shape [2, 68]"),
            (SHAPE, Node::Null, "a quantized tensor without a shape"),
            (DTYPE, Node::Text("i32".into()), "quantized blocks of an unknown float type"),
            (VALUES, Node::UInt(3), "bytes"),
            (VALUES, Node::Bytes(vec![1; 67]), "67 bytes are not the u8 elements of shape [2, 34]"),
            (TYPE, Node::Text("Q9_0".into()), "quantized blocks of an unknown format"),
        ] {
            let found = error(key, value);
            assert!(found.contains(wanted), "{key}: {found}");
        }
        assert!(parse(node("", Node::Null), &KeyPath::ROOT, 3, DType::F32).is_err());
        let Node::Map(mut fields) = node("", Node::Null) else { unreachable!() };
        fields.push(("scale".into(), Node::Bool(true)));
        assert!(parse(Node::Map(fields), &KeyPath::ROOT, 2, DType::F32).is_err(), "an unknown field");
    }
}
