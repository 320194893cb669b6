use crate::elements::dtype::with_element;
use crate::elements::strided::{self, One, StridedOperand};
use crate::kernels::copy::with_width;
#[cfg(feature = "std")]
use crate::miri::shrink;
use crate::simd::{Run, map};
use crate::tensor::NdTensor;
use crate::threads::parallel::for_chunks;
use burn_backend::{DType, DataError, HasSpec, Scalar, TensorData, TensorSpec};

/// Bytes of host data that a thread copies at a time.
const CHUNK: usize = 256 << 10;

/// Bytes from which on data of a file stay where they are.
const FOREIGN: usize = 64 << 10;

/// Bytes from which on a tensor that nothing else holds becomes host data without a copy.
#[cfg(feature = "std")]
const MOVED: usize = shrink(1 << 20, 1 << 10);

/// A tensor whose elements are host data.
#[cfg(feature = "std")]
struct DataOwner(NdTensor);

#[cfg(feature = "std")]
impl AsRef<[u8]> for DataOwner {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

pub fn from_data(data: &TensorData) -> NdTensor {
    let spec = TensorSpec::new(data.shape.clone(), data.dtype);
    // Stored weights: of these types nothing is computed, so that they are read as often from the file as
    // from a copy. Other types are copied, to memory that is written in place and has large pages.
    let is_stored = matches!(data.dtype, DType::U8 | DType::F16 | DType::BF16);
    if is_stored
        && data.as_bytes().len() >= FOREIGN
        && let Some((owner, range)) = data.shared_bytes()
        && let Some(x) = NdTensor::foreign(spec.clone(), owner, range)
    {
        return x;
    }
    let (mut x, source) = (NdTensor::new(spec), data.as_bytes());
    // New pages of the system are cleared by the thread that writes them first.
    for_chunks(x.bytes_mut(), CHUNK, CHUNK / 4, &|index, chunk| {
        chunk.copy_from_slice(&source[index * CHUNK..][..chunk.len()]);
    });
    x
}

/// # Errors
/// When the host has no memory for a copy.
pub fn into_data(x: NdTensor) -> Result<TensorData, DataError> {
    let x = x.into_contiguous();
    #[cfg(feature = "std")]
    if x.bytes().len() >= MOVED && x.fills_own_buffer() {
        let (shape, dtype, len) = (x.shape().clone(), x.spec().dtype, x.bytes().len());
        return TensorData::from_shared(alloc::sync::Arc::new(DataOwner(x)), 0..len, shape, dtype);
    }
    TensorData::from_bytes(x.bytes(), x.shape().clone(), x.spec().dtype)
}

pub fn full(spec: TensorSpec, value: Scalar) -> NdTensor {
    let one = One::new(value, spec.dtype);
    let width = spec.dtype.size();
    let mut x = NdTensor::new(spec);
    let fill = |run: &Run<1>| with_width!(width, E => map(run, |x: E| x));
    strided::run(&mut x, [StridedOperand::One(&one)], 1, &fill);
    x
}

/// `start, start + step, ..`, computed in 64 bits.
pub fn range(spec: TensorSpec, start: Scalar, step: Scalar) -> NdTensor {
    let dtype = spec.dtype;
    let mut x = NdTensor::new(spec);
    if dtype == DType::Bool {
        return full(x.spec().clone(), start);
    }
    with_element!(dtype, E => {
        let out = bytemuck::checked::try_cast_slice_mut::<u8, E>(x.bytes_mut()).expect("a new tensor");
        if dtype.is_float() {
            let (start, step) = (start.to_f64(), step.to_f64());
            out.iter_mut().enumerate().for_each(|(i, x)| *x = Scalar::Float(start + step * i as f64).elem());
        } else {
            let (start, step) = (start.elem::<i64>(), step.elem::<i64>());
            let at = |i: usize| start.wrapping_add(step.wrapping_mul(i as i64));
            out.iter_mut().enumerate().for_each(|(i, x)| *x = Scalar::Int(at(i)).elem());
        }
    });
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;

    #[test]
    fn large_bytes_of_another_owner_are_not_copied() {
        let owner: Arc<Vec<u8>> = Arc::new((0..FOREIGN + 8).map(|i| i as u8).collect());
        let of = |range: core::ops::Range<usize>, dtype: DType| {
            let count = range.len() / dtype.size();
            let data = TensorData::from_shared(owner.clone(), range, [count], dtype).expect("a part");
            from_data(&data)
        };
        let address = owner.as_ptr().addr();
        let x = of(3..FOREIGN + 3, DType::U8);
        assert_eq!(x.address(), address + 3);
        assert_eq!(x.bytes(), &owner[3..FOREIGN + 3]);
        // Writing makes a copy.
        let mut y = x.clone();
        y.make_mut::<u8>().fill(7);
        assert_eq!((x.bytes()[0], owner[3]), (3, 3));
        // Small ranges, and those computed in place, are copied.
        assert_ne!(of(0..8, DType::U8).address(), address);
        let words = of(0..FOREIGN, DType::I32);
        assert_ne!(words.address(), address);
        assert_eq!(words.bytes(), &owner[..FOREIGN]);
    }
    #[cfg(feature = "std")]
    #[test]
    fn large_tensors_that_nothing_else_holds_become_data_without_a_copy() {
        let spec = TensorSpec::new([MOVED / 4], DType::F32);
        let new = || NdTensor::with(spec.clone(), |x: &mut [f32]| x.fill(3.0));
        let address_of = |data: &TensorData| data.as_bytes().as_ptr().addr();
        let x = new();
        let address = x.address();
        let mut data = into_data(x).expect("there is memory");
        assert_eq!(address_of(&data), address);
        // Writing makes a copy, and so does a tensor that stays.
        let other = data.clone();
        data.as_mut_slice::<f32>().expect("these are floats")[0] = 4.0;
        assert_eq!((data.to_f64()[0], other.to_f64()[0]), (4.0, 3.0));
        let x = new();
        let data = into_data(x.clone()).expect("there is memory");
        assert_ne!(address_of(&data), x.address());
        assert_eq!(data, other);
    }
}
