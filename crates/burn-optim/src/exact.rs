//! Tensors in a record that are saved in full precision by every recorder.
//!
//! A mean of squares that half precision rounds to 0 would make the first step after loading far too long:
//! decision 7.

use alloc::string::ToString;
use alloc::vec::Vec;
use burn_backend::{DType, Element, Shape, TensorData};
use burn_core::record::Node;

const SHAPE: &str = "shape";
const F32: &str = "f32";
const F64: &str = "f64";

pub fn write(data: &TensorData) -> Node {
    let (name, bytes): (_, Vec<u8>) = if data.dtype == DType::F64 {
        (F64, data.iter::<f64>().flat_map(f64::to_le_bytes).collect())
    } else {
        // Narrower floats have room in this one.
        (F32, data.iter::<f32>().flat_map(f32::to_le_bytes).collect())
    };
    let shape = data.shape.iter().map(|&size| Node::UInt(size as u64)).collect();
    Node::Map([(SHAPE.to_string(), Node::List(shape)), (name.to_string(), Node::Bytes(bytes))].into())
}

/// Returns the tensor; a plain tensor is accepted too.
pub fn read(node: Node) -> Option<TensorData> {
    if let Node::Tensor(data) = node {
        return data.dtype.is_float().then_some(data);
    }
    let Some(Node::List(shape)) = node.get(SHAPE) else { return None };
    let shape: Shape = shape.iter().map(size).collect::<Option<_>>()?;
    match (node.get(F32), node.get(F64)) {
        (Some(Node::Bytes(bytes)), None) => tensor(bytes, shape, f32::from_le_bytes),
        (None, Some(Node::Bytes(bytes))) => tensor(bytes, shape, f64::from_le_bytes),
        _ => None,
    }
}

fn tensor<E: Element, const N: usize>(
    bytes: &[u8],
    shape: Shape,
    number: fn([u8; N]) -> E,
) -> Option<TensorData> {
    let (pieces, rest) = bytes.as_chunks::<N>();
    let fits = rest.is_empty() && shape.checked_num_elements() == Some(pieces.len());
    let values = || pieces.iter().map(|&piece| number(piece)).collect::<Vec<E>>();
    fits.then(|| TensorData::new(values(), shape))
}

fn size(node: &Node) -> Option<usize> {
    match node {
        Node::UInt(size) => usize::try_from(*size).ok(),
        Node::Int(size) => usize::try_from(*size).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use burn_backend::TensorData;
    use burn_core::record::Node;

    #[test]
    fn exact_tensors_come_back_bit_by_bit() {
        for data in [
            TensorData::new([1.0_f32, 1e-30, -0.0, f32::MAX], [2, 2]),
            TensorData::new([0.1_f64, 1e-300, 3.0], [3]),
            TensorData::new::<f32>([], [0, 4]),
        ] {
            assert_eq!(read(write(&data)), Some(data));
        }
    }

    #[test]
    fn what_is_no_exact_tensor_is_refused() {
        let node = write(&TensorData::new([1.0_f32, 2.0], [2]));
        let Node::Map(fields) = node else { panic!("fields") };
        let change = |index: usize, node: Node| {
            let mut fields = fields.clone();
            fields[index].1 = node;
            read(Node::Map(fields))
        };
        assert_eq!(change(0, Node::List([Node::UInt(3)].into())), None);
        assert_eq!(change(0, Node::List([Node::UInt(u64::MAX), Node::UInt(2)].into())), None);
        assert_eq!(change(0, Node::Null), None);
        assert_eq!(change(1, Node::Bytes([0; 7].into())), None);
        assert_eq!(change(1, Node::Null), None);
        assert_eq!(read(Node::Null), None);
    }
}
