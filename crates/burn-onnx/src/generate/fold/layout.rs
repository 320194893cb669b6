//! Calls that arrange elements, whichever type they have.

use crate::calls::{Operand, Range};
use crate::value::Expr;
use burn_ir::{DType, TensorData};

/// The result of a call, of this shape; none if it is another sort of call.
pub(super) fn computed(
    call: &str,
    tensors: &[&TensorData],
    operands: &[Operand],
    shape: &[usize],
) -> Option<TensorData> {
    let first = tensors.first().map(|data| View::new(data));
    match call {
        // The rules of the calls have found the shape.
        "reshape" | "squeeze_dims" | "unsqueeze_dims" => {
            let data = tensors.first()?;
            TensorData::from_bytes(data.as_bytes(), shape, data.dtype).ok()
        }
        "permute" => first?.permuted(&operands[1].axes().ok()?).data(),
        "flip" => first?.flipped(&operands[1].axes().ok()?).data(),
        "expand" => first?.expanded(shape)?.data(),
        "slice" => first?.sliced(&operands[1])?.data(),
        "repeat_dim" => {
            let copies = vec![*tensors.first()?; operands[2].number().ok()?.size()?];
            joined(&copies, operands[1].count().ok()?, shape)
        }
        "cat" => joined(tensors, operands[1].count().ok()?, shape),
        "select" => selected(tensors, operands[1].count().ok()?, shape),
        "full_list" | "full_int_list" | "full_bool_list" => {
            let one = single(operands[1].number().ok()?, operands[2].dtype().ok()?)?;
            View { dims: shape.to_vec(), strides: vec![0], ..View::new(&one) }.data()
        }
        "pad_constant" => {
            let Operand::Pairs(pairs) = &operands[1] else { return None };
            padded(tensors.first()?, pairs, operands[2].number().ok()?, shape)
        }
        _ => None,
    }
}

/// A tensor of one element.
fn single(value: &Expr, dtype: DType) -> Option<TensorData> {
    let data = match value {
        Expr::Int(value) => TensorData::new([*value], [1]),
        other => TensorData::new([other.to_f64()?], [1]),
    };
    data.try_convert_dtype(dtype).ok()
}

/// Elements of a constant at distances.
struct View<'a> {
    data: &'a TensorData,
    dims: Vec<usize>,
    /// Distances in elements.
    strides: Vec<isize>,
    /// Index of the first element.
    start: isize,
}

impl<'a> View<'a> {
    fn new(data: &'a TensorData) -> Self {
        // Rank 0 is held as rank 1.
        let dims = if data.shape.is_empty() { vec![1] } else { data.shape.to_vec() };
        View { data, strides: contiguous(&dims), dims, start: 0 }
    }

    fn permuted(self, axes: &[usize]) -> Self {
        let dims = axes.iter().map(|&axis| self.dims[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        View { dims, strides, ..self }
    }

    fn flipped(mut self, axes: &[usize]) -> Self {
        for &axis in axes {
            self.start += (self.dims[axis] as isize - 1) * self.strides[axis];
            self.strides[axis] = -self.strides[axis];
        }
        self
    }

    fn expanded(self, shape: &[usize]) -> Option<Self> {
        let missing = shape.len().checked_sub(self.dims.len())?;
        let mut strides = vec![0; missing];
        for (d, &size) in self.dims.iter().enumerate() {
            strides.push(if size == shape[missing + d] { self.strides[d] } else { 0 });
        }
        Some(View { dims: shape.to_vec(), strides, ..self })
    }

    fn sliced(mut self, ranges: &Operand) -> Option<Self> {
        let Operand::Ranges(ranges) = ranges else { return None };
        for (d, Range { start, end, step }) in ranges.iter().enumerate() {
            let (start, size) = (start.size()?, self.dims[d]);
            let end = end.as_ref().map_or(Some(size), Expr::size)?;
            if end > size || *step == 0 {
                return None;
            }
            let first = if *step > 0 { start } else { end.saturating_sub(1) };
            self.start += first as isize * self.strides[d];
            self.strides[d] *= *step as isize;
            self.dims[d] = end.saturating_sub(start).div_ceil(step.unsigned_abs() as usize);
        }
        Some(self)
    }

    /// The elements in row-major order.
    fn data(&self) -> Option<TensorData> {
        let (size, from) = (self.data.dtype.size(), self.data.as_bytes());
        let count: usize = self.dims.iter().product();
        let mut bytes = Vec::with_capacity(count * size);
        let mut index = vec![0; self.dims.len()];
        let mut at = self.start;
        while bytes.len() < count * size {
            let first = usize::try_from(at).ok()?.checked_mul(size)?;
            bytes.extend_from_slice(from.get(first..first + size)?);
            for d in (0..self.dims.len()).rev() {
                index[d] += 1;
                at += self.strides[d];
                if index[d] < self.dims[d] {
                    break;
                }
                at -= self.strides[d] * self.dims[d] as isize;
                index[d] = 0;
            }
        }
        TensorData::from_bytes(&bytes, self.dims.clone(), self.data.dtype).ok()
    }
}

fn contiguous(dims: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; dims.len()];
    for d in (0..dims.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * dims[d + 1] as isize;
    }
    strides
}

/// Bytes of an index of the dimensions before `axis`: those of `axis` and the dimensions after it.
fn block(data: &TensorData, axis: usize) -> Option<usize> {
    Some(data.shape.get(axis..)?.iter().product::<usize>() * data.dtype.size())
}

/// Tensors one after the other along a dimension.
fn joined(tensors: &[&TensorData], axis: usize, shape: &[usize]) -> Option<TensorData> {
    let outer: usize = shape.get(..axis)?.iter().product();
    let mut bytes = Vec::new();
    for place in 0..outer {
        for data in tensors {
            let block = block(data, axis)?;
            bytes.extend_from_slice(data.as_bytes().get(place * block..(place + 1) * block)?);
        }
    }
    TensorData::from_bytes(&bytes, shape, tensors.first()?.dtype).ok()
}

/// Indices of a dimension, in the order of a list.
fn selected(tensors: &[&TensorData], axis: usize, shape: &[usize]) -> Option<TensorData> {
    let [data, indices] = tensors else { return None };
    let (block, count) = (block(data, axis)?, *data.shape.get(axis)?);
    let row = block.checked_div(count)?;
    let mut bytes = Vec::new();
    for outer in data.as_bytes().chunks_exact(block.max(1)) {
        for index in indices.iter::<i64>() {
            let index = usize::try_from(index).ok().filter(|&index| index < count)?;
            bytes.extend_from_slice(&outer[index * row..(index + 1) * row]);
        }
    }
    TensorData::from_bytes(&bytes, shape, data.dtype).ok()
}

/// Elements of one value around the last dimensions.
fn padded(data: &TensorData, pairs: &[(Expr, Expr)], value: &Expr, shape: &[usize]) -> Option<TensorData> {
    let one = single(value, data.dtype)?;
    let mut padded = data.clone();
    let first = shape.len().checked_sub(pairs.len())?;
    for (axis, (before, after)) in (first..).zip(pairs) {
        let mut parts = Vec::new();
        for count in [before, after] {
            let mut dims = padded.shape.to_vec();
            *dims.get_mut(axis)? = count.size()?;
            let strides = vec![0; dims.len()];
            parts.push(View { dims, strides, ..View::new(&one) }.data()?);
        }
        let mut dims = padded.shape.to_vec();
        dims[axis] = shape[axis];
        padded = joined(&[&parts[0], &padded, &parts[1]], axis, &dims)?;
    }
    Some(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(values: &[i64], shape: &[usize]) -> TensorData {
        TensorData::new(values, shape)
    }

    #[test]
    fn constants_are_permuted_as_tensors_are() {
        let data = integers(&[1, 2, 3, 4, 5, 6], &[1, 2, 3]);
        let turned = View::new(&data).permuted(&[2, 0, 1]).data().unwrap();
        assert_eq!(turned, integers(&[1, 4, 2, 5, 3, 6], &[3, 1, 2]));
    }

    #[test]
    fn slices_take_steps_in_both_directions() {
        let data = integers(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[2, 5]);
        let backwards = Range { start: 0.into(), end: Some(4.into()), step: -2 };
        let ranges = Operand::Ranges(vec![Range::new(1, 2), backwards]);
        let found = View::new(&data).sliced(&ranges).unwrap().data().unwrap();
        // `numpy.arange(10).reshape(2, 5)[1:2, 3::-2]`
        assert_eq!(found, integers(&[8, 6], &[1, 2]));
    }

    #[test]
    fn a_slice_beyond_the_end_is_left_to_the_model() {
        let data = integers(&[0, 1], &[2]);
        assert!(View::new(&data).sliced(&Operand::Ranges(vec![Range::new(0, 3)])).is_none());
    }

    #[test]
    fn parts_are_joined_selected_and_padded_along_a_dimension() {
        let (a, b) = (integers(&[1, 2, 3, 4], &[2, 2]), integers(&[5, 6], &[2, 1]));
        let joined = joined(&[&a, &b], 1, &[2, 3]).unwrap();
        assert_eq!(joined, integers(&[1, 2, 5, 3, 4, 6], &[2, 3]));
        let found = selected(&[&joined, &integers(&[2, 0], &[2])], 1, &[2, 2]).unwrap();
        assert_eq!(found, integers(&[5, 1, 6, 3], &[2, 2]));
        assert!(selected(&[&joined, &integers(&[3], &[1])], 1, &[2, 1]).is_none(), "no such index");
        let pairs = [(Expr::Int(1), Expr::Int(0)), (Expr::Int(0), Expr::Int(2))];
        let found = padded(&a, &pairs, &Expr::Int(-1), &[3, 4]).unwrap();
        assert_eq!(found, integers(&[-1, -1, -1, -1, 1, 2, -1, -1, 3, 4, -1, -1], &[3, 4]));
    }
}
