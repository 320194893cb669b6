//! Layout changes that are applied to a tensor when it is read.

use super::transpose::transpose;
use crate::tensor::quantization::PackedBlocks;
use crate::tensor::{DType, Shape, TensorData};
use alloc::vec::Vec;
use core::ops::Range;

/// One change of layout.
#[derive(Clone, Debug, PartialEq)]
pub enum Transform {
    /// Swaps the two dimensions of a matrix.
    Transpose,
    /// Takes these indices of the first dimension.
    Rows(Range<usize>),
    /// Reshape to a shape of as many elements.
    Reshape(Shape),
}

impl Transform {
    pub fn apply(&self, data: TensorData) -> TensorData {
        match self {
            Transform::Transpose => transpose(&data),
            Transform::Rows(rows) => {
                let size = row_size(&data.shape, data.dtype);
                let bytes = &data.as_bytes()[rows.start * size..rows.end * size];
                let mut shape = data.shape.to_vec();
                shape[0] = rows.len();
                exact(bytes, shape.into(), data.dtype)
            }
            Transform::Reshape(shape) => {
                let mut data = data;
                data.shape = shape.clone();
                data
            }
        }
    }
}

impl Transform {
    /// Applies the change to a matrix of quantized blocks, if it needs no dequantization.
    pub fn apply_packed(&self, x: PackedBlocks<TensorData>) -> Option<PackedBlocks<TensorData>> {
        match self {
            Transform::Transpose => Some(x.transpose()),
            // Stored rows are rows of the matrix only where it is not transposed.
            Transform::Rows(_) if !x.transposed => Some(x.map(|blocks| self.apply(blocks))),
            Transform::Rows(_) | Transform::Reshape(_) => None,
        }
    }
}

/// Creates data of `bytes`, which are valid elements of this type.
fn exact(bytes: &[u8], shape: Shape, dtype: DType) -> TensorData {
    TensorData::from_bytes(bytes, shape, dtype).expect("a part of the elements of a tensor")
}

fn row_size(shape: &Shape, dtype: DType) -> usize {
    shape[1..].iter().product::<usize>() * dtype.size()
}

/// Returns the rows of `parts` one after the other, if they are of one type and differ in the first dimension
/// only. PyTorch: `torch.cat`.
#[doc(alias = "cat")]
pub fn concatenate(parts: &[TensorData]) -> Option<TensorData> {
    let first = parts.first()?;
    let (mut bytes, mut shape) = (Vec::new(), first.shape.to_vec());
    *shape.first_mut()? = 0;
    for part in parts {
        if part.dtype != first.dtype || part.shape.get(1..) != first.shape.get(1..) {
            return None;
        }
        bytes.extend_from_slice(part.as_bytes());
        shape[0] += part.shape[0];
    }
    Some(exact(&bytes, shape.into(), first.dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_their_concatenation_are_the_tensor() {
        let data = TensorData::from([[1.0_f64, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let rows = |range| Transform::Rows(range).apply(data.clone());
        assert_eq!(rows(1..2), TensorData::from([[3.0_f64, 4.0]]));
        assert_eq!(concatenate(&[rows(0..1), rows(1..3)]), Some(data));
        assert_eq!(concatenate(&[TensorData::from([1.0_f32]), TensorData::from([1_i32])]), None);
    }
}
