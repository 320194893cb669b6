use crate::{DataError, TensorData, TensorSpec};

/// [`TensorData`] whose bytes come one after the other, as from a wire: they are written where they stay.
///
/// ```
/// use burn_ir::{DType, TensorData, TensorDataPieces, TensorSpec};
/// let mut pieces = TensorDataPieces::new(TensorSpec::new([3], DType::U8)).unwrap();
/// pieces.push(&[1, 2]).unwrap();
/// pieces.push(&[3]).unwrap();
/// assert_eq!(pieces.finish().unwrap(), TensorData::from([1_u8, 2, 3]));
/// ```
#[derive(Debug)]
pub struct TensorDataPieces {
    data: TensorData,
    filled: usize,
}

impl TensorDataPieces {
    /// Takes the address space of the elements; memory as they come.
    ///
    /// # Errors
    /// When no memory holds so many elements.
    pub fn new(spec: TensorSpec) -> Result<Self, DataError> {
        Ok(TensorDataPieces { data: TensorData::zeroed(spec.shape, spec.dtype)?, filled: 0 })
    }

    /// Returns the number of missing bytes.
    pub fn missing(&self) -> usize {
        self.data.as_bytes().len() - self.filled
    }

    /// Appends the next bytes, of little-endian elements.
    ///
    /// # Errors
    /// When they are more than are missing.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        let end = self.filled + bytes.len();
        let Some(place) = self.data.as_mut_bytes().get_mut(self.filled..end) else {
            return Err(self.length(end));
        };
        place.copy_from_slice(bytes);
        self.filled = end;
        Ok(())
    }

    /// Returns the complete data.
    ///
    /// # Errors
    /// When bytes are missing, or a bool is neither 0 nor 1.
    pub fn finish(self) -> Result<TensorData, DataError> {
        if self.missing() > 0 {
            return Err(self.length(self.filled));
        }
        self.data.checked()
    }

    fn length(&self, found: usize) -> DataError {
        DataError::Length { shape: self.data.shape.clone(), dtype: self.data.dtype, found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;
    use alloc::vec::Vec;

    #[test]
    fn too_many_bytes_too_few_and_no_bools_are_refused() {
        let pieces = || TensorDataPieces::new(TensorSpec::new([2], DType::Bool)).unwrap();
        assert!(matches!(pieces().push(&[0; 3]), Err(DataError::Length { found: 3, .. })));
        let mut half = pieces();
        half.push(&[1]).unwrap();
        assert!(matches!(half.finish(), Err(DataError::Length { found: 1, .. })));
        let mut wrong = pieces();
        wrong.push(&[1, 2]).unwrap();
        assert_eq!(wrong.finish(), Err(DataError::Bool { index: 1, found: 2 }));
    }

    #[test]
    fn more_than_any_memory_is_an_error() {
        for shape in [[1 << 61, 1], [usize::MAX, 2]] {
            let spec = TensorSpec::new(shape, DType::F32);
            let error = DataError::Memory { shape: spec.shape.clone(), dtype: DType::F32 };
            assert_eq!(TensorDataPieces::new(spec).unwrap_err(), error);
        }
    }

    #[test]
    fn large_data_is_what_its_pieces_are() {
        // Enough for huge pages, and no multiple of anything.
        let len = (9 << 20) + 5;
        let bytes: Vec<u8> = (0..len).map(|at| (at * 7 + at / 251) as u8).collect();
        let mut pieces = TensorDataPieces::new(TensorSpec::new([len], DType::U8)).unwrap();
        bytes.chunks(100_003).for_each(|piece| pieces.push(piece).unwrap());
        assert!(pieces.finish().unwrap().as_bytes() == bytes);
    }
}
