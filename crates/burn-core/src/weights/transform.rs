//! Layout changes that are applied to a tensor when it is read.

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
    /// Another shape with as many elements.
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

/// Data of `bytes`, which were elements of this type before.
fn exact(bytes: &[u8], shape: Shape, dtype: DType) -> TensorData {
    TensorData::from_bytes(bytes, shape, dtype).expect("a part of the elements of a tensor")
}

fn row_size(shape: &Shape, dtype: DType) -> usize {
    shape[1..].iter().product::<usize>() * dtype.size()
}

/// Returns the transpose of a matrix; other tensors are returned as they are. PyTorch: `x.T`.
pub fn transpose(data: &TensorData) -> TensorData {
    let [rows, columns] = data.shape[..] else { return data.clone() };
    let mut out = TensorData::zeroed([columns, rows].into(), data.dtype)
        .expect("there is memory for a tensor of this size");
    let (source, target) = (data.as_bytes(), out.as_mut_bytes());
    match data.dtype.size() {
        1 => transpose_bytes::<1>(source, target, rows, columns),
        2 => transpose_bytes::<2>(source, target, rows, columns),
        4 => transpose_bytes::<4>(source, target, rows, columns),
        _ => transpose_bytes::<8>(source, target, rows, columns),
    }
    out
}

/// Goes through squares that are copied to a place of their own first: the rows of matrices whose sides are powers of two
/// share few sets of the cache, so that elements read one below the other would push each other out.
fn transpose_bytes<const SIZE: usize>(source: &[u8], target: &mut [u8], rows: usize, columns: usize) {
    const SIDE: usize = 64;
    let ((source, _), (target, _)) = (source.as_chunks::<SIZE>(), target.as_chunks_mut::<SIZE>());
    let mut square = [[[0_u8; SIZE]; SIDE]; SIDE];
    for row in (0..rows).step_by(SIDE) {
        let height = SIDE.min(rows - row);
        for column in (0..columns).step_by(SIDE) {
            let width = SIDE.min(columns - column);
            for (i, line) in square[..height].iter_mut().enumerate() {
                line[..width].copy_from_slice(&source[(row + i) * columns + column..][..width]);
            }
            for j in 0..width {
                let out = &mut target[(column + j) * rows + row..][..height];
                out.iter_mut().zip(&square).for_each(|(out, line)| *out = line[j]);
            }
        }
    }
}

/// Returns the rows of `parts` one after the other, if they are of one type and differ in the first dimension only.
/// PyTorch: `torch.cat`.
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
    fn transpose_moves_every_element() {
        for (rows, columns) in [(1, 1), (3, 5), (64, 64), (65, 130), (0, 4)] {
            let at = |i: usize, j: usize| (100 * i + j) as i32;
            let values: Vec<i32> = (0..rows * columns).map(|k| at(k / columns, k % columns)).collect();
            let expected: Vec<i32> = (0..rows * columns).map(|k| at(k % rows, k / rows)).collect();
            let found = transpose(&TensorData::new(&values[..], [rows, columns]));
            assert_eq!(found, TensorData::new(&expected[..], [columns, rows]), "{rows} x {columns}");
            let narrow = transpose(&TensorData::new(&values[..], [rows, columns]).convert::<i16>());
            assert_eq!(narrow.convert::<i32>(), found);
        }
    }

    #[test]
    fn rows_and_their_concatenation_are_the_tensor() {
        let data = TensorData::from([[1.0_f64, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let rows = |range| Transform::Rows(range).apply(data.clone());
        assert_eq!(rows(1..2), TensorData::from([[3.0_f64, 4.0]]));
        assert_eq!(concatenate(&[rows(0..1), rows(1..3)]), Some(data));
        assert_eq!(concatenate(&[TensorData::from([1.0_f32]), TensorData::from([1_i32])]), None);
    }
}
