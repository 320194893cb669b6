//! Lists of tensors that travel together.

use burn_ir::DType;

/// Tensor by size.
pub struct Sized {
    pub bytes: usize,
    pub dtype: DType,
}

/// Splits tensors into consecutive lists of one dtype and at most `limit` bytes; a larger tensor is a list of
/// its own.
pub fn buckets(tensors: &[Sized], limit: usize) -> Vec<core::ops::Range<usize>> {
    let (mut lists, mut start, mut bytes) = (Vec::new(), 0, 0_usize);
    for (index, tensor) in tensors.iter().enumerate() {
        let fits = bytes.saturating_add(tensor.bytes) <= limit && tensors[start].dtype == tensor.dtype;
        if index > start && !fits {
            lists.push(start..index);
            (start, bytes) = (index, 0);
        }
        bytes = bytes.saturating_add(tensor.bytes);
    }
    if start < tensors.len() {
        lists.push(start..tensors.len());
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::{Sized, buckets};
    use burn_ir::DType;

    #[test]
    fn buckets_hold_one_dtype_and_at_most_the_limit() {
        let tensor = |bytes, dtype| Sized { bytes, dtype };
        let (f32, f64) = (DType::F32, DType::F64);
        let list = [tensor(4, f32), tensor(6, f32), tensor(1, f32), tensor(20, f32), tensor(0, f64)];
        assert_eq!(buckets(&list, 10), [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(buckets(&list, 0).len(), 5);
        assert!(buckets(&[], 10).is_empty());
    }
}
