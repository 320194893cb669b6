use super::catch_panic::catch_panic;
use crate::wire::Failure;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{DataError, TensorDataPieces, TensorSpec, TypedCalls};

/// Bytes that the device is given at once: few enough to be in a cache still, and memory of this size is used
/// again for the next ones.
const PIECE_BYTES: usize = 1 << 20;

/// Approximate maximum number of parts of a tensor.
const PARTS: usize = 256;

/// Upload of a tensor, in parts of which all but the last are already on the device.
#[derive(Debug)]
pub struct Upload {
    spec: TensorSpec,
    device: DynamicDevice,
    parts: Vec<DynamicTensor>,
    /// Elements of these parts.
    given: usize,
    /// The part after them, which comes at the moment.
    next: TensorDataPieces,
}

impl Upload {
    /// # Errors
    /// When the host has no memory for the first part.
    pub fn new(spec: TensorSpec, device: DynamicDevice) -> Result<Self, Failure> {
        let next = part(&spec, 0)?;
        Ok(Upload { spec, device, parts: Vec::new(), given: 0, next })
    }

    /// Appends the next bytes.
    ///
    /// # Errors
    /// When they are more than are missing, or no elements, or there is no memory for them.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        loop {
            let missing = self.next.missing();
            if missing == 0 || bytes.len() < missing {
                return self.next.push(bytes).map_err(Failure::Data);
            }
            let (now, later) = bytes.split_at(missing);
            self.next.push(now).map_err(Failure::Data)?;
            self.give()?;
            bytes = later;
        }
    }

    /// Gives the part that has come to the device.
    fn give(&mut self) -> Result<(), Failure> {
        let given = self.given;
        self.given += length(&self.spec, given);
        let come = std::mem::replace(&mut self.next, part(&self.spec, self.given)?);
        let data = come.finish().map_err(|error| Failure::Data(behind(given, error)))?;
        self.parts.push(catch_panic("upload", || Dynamic::from_data(data, &self.device))?);
        Ok(())
    }

    /// Creates the tensor from its complete bytes.
    ///
    /// # Errors
    /// When some have not, or the device has no memory for them.
    pub fn finish(mut self) -> Result<DynamicTensor, Failure> {
        if self.next.missing() > 0 {
            self.next.finish().map_err(Failure::Data)?;
        }
        catch_panic("upload", || {
            let row =
                if self.parts.len() == 1 { self.parts.swap_remove(0) } else { Dynamic::cat(self.parts, 0) };
            Dynamic::reshape(row, self.spec.shape)
        })
    }
}

/// Elements of the part that begins at `given`.
fn length(spec: &TensorSpec, given: usize) -> usize {
    let count = spec.shape.num_elements();
    (PIECE_BYTES / spec.dtype.size()).max(count.div_ceil(PARTS)).min(count - given)
}

fn part(spec: &TensorSpec, given: usize) -> Result<TensorDataPieces, Failure> {
    TensorDataPieces::new(TensorSpec::new([length(spec, given)], spec.dtype)).map_err(Failure::Data)
}

/// An error of a part that `given` elements are before.
fn behind(given: usize, error: DataError) -> DataError {
    if let DataError::Bool { index, found } = error {
        return DataError::Bool { index: given + index, found };
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::{Backend, DType, TensorData, block_on};
    use burn_ndarray::NdArray;

    fn upload(shape: [usize; 2], dtype: DType) -> Upload {
        let device = DynamicDevice::new::<NdArray>(Default::default());
        Upload::new(TensorSpec::new(shape, dtype), device).unwrap()
    }

    #[test]
    fn a_tensor_of_many_parts_is_what_its_bytes_are() {
        // Pieces that end within elements, and a last part that is shorter than the others.
        let values: Vec<i64> = (0..3 * 150_001).map(|at| at * at - 7).collect();
        let data = TensorData::new(&values, [3, 150_001]);
        let mut upload = upload([3, 150_001], DType::I64);
        data.as_bytes().chunks(99_999).for_each(|piece| upload.push(piece).unwrap());
        assert!(upload.parts.len() > 3);
        let x = upload.finish().unwrap();
        assert!(block_on(Dynamic::into_data(x)).unwrap().unwrap() == data);
    }

    #[test]
    fn bytes_that_do_not_belong_there_are_refused() {
        let mut long = upload([1, 4], DType::F32);
        assert!(matches!(long.push(&[0; 17]), Err(Failure::Data(DataError::Length { .. }))));
        let mut short = upload([1, 4], DType::F32);
        short.push(&[0; 15]).unwrap();
        assert!(matches!(short.finish(), Err(Failure::Data(DataError::Length { .. }))));
        let mut wrong = upload([3, 1 << 20], DType::Bool);
        let mut bytes = vec![1; 3 << 20];
        bytes[(2 << 20) + 5] = 9;
        let error = Failure::Data(DataError::Bool { index: (2 << 20) + 5, found: 9 });
        assert_eq!(wrong.push(&bytes), Err(error));
    }
}
