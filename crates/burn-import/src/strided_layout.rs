//! Memory layout of tensors.

use crate::stored_type::{StoredType, checked_shape};
use burn_core::tensor::TensorData;
use burn_ir::memory::is_available;
use std::ops::Range;

/// Strided layout of a tensor in its storage; all numbers count elements.
#[derive(Clone, Debug, PartialEq)]
pub struct StridedLayout {
    pub offset: u64,
    pub sizes: Vec<u64>,
    pub strides: Vec<u64>,
}

#[cfg(feature = "pytorch")]
/// Elements of a tensor that repeats those of its storage (`expand`) may take so many bytes beside the size
/// of the file.
const MOST_REPEATED: u64 = 64 << 20;

impl StridedLayout {
    fn num_elements(&self) -> Option<u64> {
        self.sizes.iter().try_fold(1_u64, |count, &size| count.checked_mul(size))
    }

    #[cfg(feature = "pytorch")]
    /// The number of elements of the storage up to the last one of the tensor.
    fn end(&self) -> Option<u64> {
        if self.sizes.contains(&0) {
            return Some(0);
        }
        let last = self.sizes.iter().zip(&self.strides).try_fold(self.offset, |last, (&size, &stride)| {
            last.checked_add((size - 1).checked_mul(stride)?)
        });
        last?.checked_add(1)
    }

    fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        self.sizes.iter().zip(&self.strides).rev().all(|(&size, &stride)| {
            let fits = size <= 1 || stride == expected;
            expected *= size.max(1);
            fits
        })
    }

    #[cfg(feature = "pytorch")]
    /// Checks that the elements are inside of a storage of `storage` bytes, and fit into memory.
    pub fn check(&self, stored: StoredType, storage: u64, file: u64) -> Result<(), String> {
        let element = stored.size() as u64;
        let wrong = || {
            let StridedLayout { offset, sizes, strides } = self;
            format!(
                "a tensor of shape {sizes:?} with strides {strides:?} and offset {offset} lies outside of its storage of \
                 {storage} bytes"
            )
        };
        if self.sizes.len() != self.strides.len() || checked_shape(&self.sizes, stored.size()).is_none() {
            return Err(wrong());
        }
        if self.end().and_then(|end| end.checked_mul(element)).is_none_or(|end| end > storage) {
            return Err(wrong());
        }
        let bytes = self.num_elements().and_then(|count| count.checked_mul(element));
        if bytes.is_none_or(|bytes| bytes > file.saturating_add(MOST_REPEATED)) {
            return Err(format!("a tensor of shape {:?} is larger than the file that it is in", self.sizes));
        }
        Ok(())
    }

    /// Returns the byte range of the elements in the storage, if they are contiguous.
    pub fn contiguous_bytes(&self, stored: StoredType) -> Option<Range<u64>> {
        let element = stored.size() as u64;
        let count = self.num_elements().filter(|count| *count > 0 && self.is_contiguous())?;
        let (start, length) = (self.offset.checked_mul(element)?, count.checked_mul(element)?);
        Some(start..start.checked_add(length)?)
    }

    /// Reads the tensor from the bytes of its storage; the layout must have passed [`check`](Self::check).
    pub fn read(&self, stored: StoredType, storage: &[u8]) -> Result<TensorData, String> {
        let element = stored.size();
        let shape = checked_shape(&self.sizes, element).ok_or("sizes beyond memory")?;
        let count = shape.num_elements();
        if count == 0 {
            return stored.decode(&[], shape);
        }
        let truncated = || "truncated".to_string();
        if let Some(range) = self.contiguous_bytes(stored) {
            let bytes = storage.get(range.start as usize..range.end as usize).ok_or_else(truncated)?;
            return stored.decode(bytes, shape);
        }
        let start = usize::try_from(self.offset).map_err(|error| error.to_string())? * element;
        let mut bytes = Vec::new();
        if !is_available(count * element) {
            return Err("no memory is left for a tensor".to_string());
        }
        bytes.try_reserve_exact(count * element).map_err(|_| "no memory is left for a tensor")?;
        self.gather(0, start, element, storage, &mut bytes).ok_or_else(truncated)?;
        stored.decode_owned(bytes, shape)
    }

    /// Reads the tensor from bytes of its own, whose memory it keeps if they are contiguous.
    #[cfg(feature = "npz")]
    pub fn read_owned(&self, stored: StoredType, bytes: Vec<u8>) -> Result<TensorData, String> {
        match self.contiguous_bytes(stored) {
            Some(range) if range == (0..bytes.len() as u64) => {
                let shape = checked_shape(&self.sizes, stored.size()).ok_or("sizes beyond memory")?;
                stored.decode_owned(bytes, shape)
            }
            _ => self.read(stored, &bytes),
        }
    }

    /// Appends the elements below `dim`, the first of which begins at byte `at`.
    fn gather(&self, dim: usize, at: usize, element: usize, storage: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let Some(&size) = self.sizes.get(dim) else {
            out.extend_from_slice(storage.get(at..at + element)?);
            return Some(());
        };
        let stride = usize::try_from(self.strides[dim]).ok()? * element;
        (0..size as usize)
            .try_for_each(|index| self.gather(dim + 1, at + index * stride, element, storage, out))
    }
}

#[cfg(all(test, feature = "pytorch"))]
mod tests {
    use super::*;
    use burn_core::tensor::DType;

    const F32: StoredType = StoredType::Plain(DType::F32);

    fn layout(offset: u64, sizes: &[u64], strides: &[u64]) -> StridedLayout {
        StridedLayout { offset, sizes: sizes.into(), strides: strides.into() }
    }

    #[test]
    fn strides_choose_the_elements() {
        let bytes: Vec<u8> = (0..12).flat_map(|x| (x as f32).to_le_bytes()).collect();
        for (layout, expected) in [
            (layout(0, &[3, 4], &[4, 1]), (0..12).map(f64::from).collect::<Vec<_>>()),
            (layout(1, &[2, 3], &[1, 4]), vec![1.0, 5.0, 9.0, 2.0, 6.0, 10.0]),
            (layout(5, &[2, 2], &[0, 1]), vec![5.0, 6.0, 5.0, 6.0]),
            (layout(11, &[], &[]), vec![11.0]),
            (layout(7, &[0, 9], &[9, 1]), vec![]),
        ] {
            layout.check(F32, 48, 48).unwrap();
            assert_eq!(layout.read(F32, &bytes).unwrap().to_f64(), expected, "{layout:?}");
        }
    }

    #[test]
    fn a_tensor_outside_of_its_storage_is_refused() {
        for wrong in [
            layout(0, &[13], &[1]),
            layout(1, &[12], &[1]),
            layout(0, &[2], &[12]),
            layout(0, &[2], &[]),
            layout(u64::MAX, &[1], &[1]),
            layout(0, &[u64::MAX, 2], &[0, 0]),
            layout(0, &[1 << 30, 1 << 30], &[0, 0]),
            layout(0, &[0, u64::MAX], &[1, 1]),
        ] {
            assert!(wrong.check(F32, 48, 48).is_err(), "{wrong:?}");
        }
    }
}
