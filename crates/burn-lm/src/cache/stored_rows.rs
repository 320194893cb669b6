use super::CacheDtype;
use burn_backend::{IndexUpdate, Packed, QuantizeArgs, QuantizedRows, Shape, Slice, Slices};
use burn_core::tensor::quantization::{BlockFormat, QuantizationScheme, QuantizationType};
use burn_core::tensor::{Backend, DType, HasSpec, Int, Tensor, TensorError};
use std::ops::Range;

/// Keys or values as a cache stores them: `[key heads, positions, d_head]`, or with a batch dimension in
/// front.
#[derive(Clone, Debug)]
pub struct StoredRows<T> {
    /// Floats, or words of four integers, `[.., positions, d_head / 4]`.
    pub numbers: T,
    /// Scales of the blocks of integers, `[.., positions, d_head / 32]`.
    pub scale: Option<T>,
}

/// Integers that share a scale.
const BLOCK: usize = BlockFormat::Q8_0.elements();
const SCHEME: QuantizationScheme =
    QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8).per_block(BLOCK);

impl<T> StoredRows<T> {
    /// Calls `f` with each tensor.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> StoredRows<U> {
        StoredRows { numbers: f(self.numbers), scale: self.scale.map(f) }
    }

    /// Calls `f` with each tensor and that of `other`, which is stored alike.
    fn zip(self, other: Self, mut f: impl FnMut(T, T) -> T) -> Self {
        let numbers = f(self.numbers, other.numbers);
        StoredRows { numbers, scale: self.scale.zip(other.scale).map(|(x, other)| f(x, other)) }
    }

    /// Returns the words and scales of integers.
    ///
    /// # Errors
    /// The rows are floats, which are returned.
    pub fn into_quantized(self) -> Result<QuantizedRows<T>, T> {
        match self.scale {
            Some(scale) => Ok(QuantizedRows { words: self.numbers, scale }),
            None => Err(self.numbers),
        }
    }
}

/// Returns whether keys and values of heads of `size` elements can be stored as `dtype`.
pub fn is_storable(dtype: CacheDtype, size: usize) -> bool {
    match dtype {
        CacheDtype::Float(dtype) => dtype.is_float(),
        CacheDtype::Blocks(format) => format == BlockFormat::Q8_0 && size.is_multiple_of(BLOCK),
    }
}

/// Returns the bytes of a row of `size` elements.
pub fn row_bytes(dtype: CacheDtype, size: usize) -> usize {
    match dtype {
        CacheDtype::Float(dtype) => size * dtype.size(),
        CacheDtype::Blocks(format) => size / format.elements() * format.bytes(),
    }
}

/// Allocates rows of zeros, [storable](is_storable) as `dtype`.
pub fn zeros<B: Backend>(
    dtype: CacheDtype,
    [heads, positions, size]: [usize; 3],
    device: &B::Device,
) -> Result<StoredRows<B::Tensor>, TensorError> {
    let floats = |last: usize, dtype: DType| {
        Tensor::<B, 3>::try_zeros([heads, positions, last], (device, dtype)).map(Tensor::into_handle)
    };
    Ok(match dtype {
        CacheDtype::Float(dtype) => StoredRows { numbers: floats(size, dtype)?, scale: None },
        CacheDtype::Blocks(_) => {
            let words = [heads, positions, size / SCHEME.value.per_word()];
            let words = Tensor::<B, 3, Int>::try_zeros(words, (device, DType::I32))?;
            // Some GPUs have no half precision.
            let scales = if B::has_dtype(device, DType::F16) { DType::F16 } else { DType::F32 };
            StoredRows { numbers: words.into_handle(), scale: Some(floats(size / BLOCK, scales)?) }
        }
    })
}

/// Rounds `x`, `[key heads, rows, d_head]`, to what `stored` holds.
pub fn rounded<B: Backend>(x: Tensor<B, 3>, stored: &StoredRows<B::Tensor>) -> StoredRows<B::Tensor> {
    let Some(scales) = &stored.scale else {
        let numbers = x.cast(stored.numbers.spec().dtype).into_handle();
        return StoredRows { numbers, scale: None };
    };
    let [heads, rows, size] = x.dims();
    let blocks = [heads, rows, size / BLOCK];
    let x = x.cast(DType::F32);
    let most = x.clone().reshape([heads, rows, size / BLOCK, BLOCK]).max_abs_dim(3);
    let scale = (most / SCHEME.range().1).cast(scales.spec().dtype).reshape(blocks);
    // Numbers are quotients by the scale that is stored, so that no error is more than half of it.
    let divisor = scale.clone().cast(DType::F32).reshape([blocks.iter().product::<usize>()]);
    let (x, divisor) = (x.into_handle(), divisor.into_handle());
    let words = B::quantize(QuantizeArgs { x, scale: divisor, zero: None, scheme: SCHEME });
    let numbers = B::reshape(words, Shape::from([heads, rows, size / SCHEME.value.per_word()]));
    StoredRows { numbers, scale: Some(scale.into_handle()) }
}

/// Returns the floats of rows, of `dtype`.
pub fn floats<B: Backend, const D: usize>(rows: StoredRows<B::Tensor>, dtype: DType) -> Tensor<B, D> {
    let floats = match rows.into_quantized() {
        Err(floats) => floats,
        Ok(rows) => {
            let (shape, scheme) = (rows.shape(), rows.scheme());
            let list = |x: B::Tensor| {
                let count = x.spec().shape.num_elements();
                B::reshape(x, Shape::from([count]))
            };
            let (values, scale) = (list(rows.words), list(B::cast(rows.scale, DType::F32)));
            B::dequantize(Packed { values, scale, zero: None, scheme, shape })
        }
    };
    Tensor::<B, D>::from_handle(floats).cast(dtype)
}

/// Returns neighbouring positions of `[key heads, positions, d_head]` as `[1, key heads, count, d_head]`,
/// without a copy.
pub fn view<B: Backend>(rows: &StoredRows<B::Tensor>, start: usize, count: usize) -> StoredRows<B::Tensor> {
    rows.clone().map(|x| {
        let x = B::slice(x.clone(), slices(&x, start..start + count));
        let shape: Shape = [1].iter().chain(x.spec().shape.iter()).copied().collect();
        B::reshape(x, shape)
    })
}

/// Returns `runs` runs of `count` neighbouring positions, which begin `step` positions apart, as `[runs, key
/// heads, count, d_head]`, without a copy.
pub fn views<B: Backend>(
    rows: &StoredRows<B::Tensor>,
    start: usize,
    step: usize,
    [runs, count]: [usize; 2],
) -> StoredRows<B::Tensor> {
    rows.clone().map(|x| {
        let x = B::slice(x.clone(), slices(&x, start..start + runs * step));
        let [heads, _, size] = [0, 1, 2].map(|d| x.spec().shape[d]);
        let x = B::reshape(x, Shape::from([heads, runs, step, size]));
        let own = [0..heads, 0..runs, 0..count, 0..size].map(Slice::from);
        B::permute(B::slice(x, own.into_iter().collect()), [1, 0, 2, 3].into_iter().collect())
    })
}

/// Writes rows from position `start` on.
pub fn write<B: Backend>(
    stored: StoredRows<B::Tensor>,
    start: usize,
    rows: StoredRows<B::Tensor>,
) -> StoredRows<B::Tensor> {
    stored.zip(rows, |x, rows| {
        let slices = slices(&x, start..start + rows.spec().shape[1]);
        B::slice_assign(x, slices, rows)
    })
}

/// Writes a row at each of these positions.
pub fn write_at<B: Backend>(
    stored: StoredRows<B::Tensor>,
    positions: &B::Tensor,
    rows: StoredRows<B::Tensor>,
) -> StoredRows<B::Tensor> {
    stored.zip(rows, |x, rows| B::select_assign(x, 1, positions.clone(), rows, IndexUpdate::Assign))
}

/// Joins `[1, key heads, positions, d_head]` along the positions.
pub fn joined<B: Backend>(mut parts: Vec<StoredRows<B::Tensor>>) -> StoredRows<B::Tensor> {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let (numbers, scales): (Vec<_>, Vec<_>) =
        parts.into_iter().map(|part| (part.numbers, part.scale)).unzip();
    let scales: Option<Vec<_>> = scales.into_iter().collect();
    StoredRows { numbers: B::cat(numbers, 2), scale: scales.map(|scales| B::cat(scales, 2)) }
}

/// A range of the second dimension.
fn slices(x: &impl HasSpec, range: Range<usize>) -> Slices {
    [Slice::from(0..x.spec().shape[0]), range.into()].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_core::tensor::{TensorData, f16};
    use burn_ndarray::{NdArray, NdTensor};

    type B = NdArray;

    /// Rows `range` of `[key heads, rows, d_head]`.
    fn part<B: Backend>(rows: &StoredRows<B::Tensor>, range: Range<usize>) -> StoredRows<B::Tensor> {
        rows.clone().map(|x| B::slice(x.clone(), slices(&x, range.clone())))
    }

    /// Blocks of zeros, of one element, with the smallest scales of halves, of large numbers, and of others.
    fn values() -> Vec<f32> {
        let size = |block: usize| [0.0, 1.0, 3e-6, 4e5, 0.02, 9.0][block % 6];
        let value =
            |i: usize| (i as f32 * 0.7).sin() * if i / 32 % 6 == 1 && i % 32 != 5 { 0.0 } else { 1.0 };
        (0..2 * 3 * 64).map(|i| value(i) * size(i / 32)).collect()
    }

    #[test]
    fn every_element_of_a_block_is_within_half_a_step() {
        let values = values();
        let device = Default::default();
        let stored = zeros::<B>(BlockFormat::Q8_0.into(), [2, 3, 64], &device).unwrap();
        let x = Tensor::from_data(TensorData::new(values.clone(), [2, 3, 64]), &device);
        let rows = rounded::<B>(x, &stored);
        let read = |x: &NdTensor| Tensor::<B, 3>::from_handle(x.clone()).into_data().to_f64();
        let scales = read(rows.scale.as_ref().unwrap());
        let found = floats::<B, 3>(rows.clone(), DType::F32).into_data().to_f64();
        for (block, values) in values.chunks(32).enumerate() {
            let most = values.iter().fold(0.0_f64, |most, x| most.max(f64::from(*x).abs()));
            let step = f16::from_f64(most / 127.0).to_f64();
            assert!((scales[block] - step).abs() <= 1e-3 * step + 6e-8, "{} for {step}", scales[block]);
            for (x, found) in values.iter().zip(&found[32 * block..]) {
                let (x, step) = (f64::from(*x), scales[block]);
                // Below the smallest normal half, scales are rounded by more than a 127th of the step.
                let allowed = if step < 6.2e-5 { 127.0 * 3e-8 + 0.5 * step } else { 0.500_001 * step };
                assert!((x - found).abs() <= allowed, "{x} became {found} in steps of {step}");
            }
        }
    }

    #[test]
    fn rows_are_written_and_viewed_in_parts() {
        let device = Default::default();
        for dtype in [CacheDtype::from(DType::F16), BlockFormat::Q8_0.into()] {
            let x = Tensor::<B, 3>::from_data(TensorData::new(values(), [2, 3, 64]), &device);
            let memory = zeros::<B>(dtype, [2, 8, 64], &device).unwrap();
            let rows = rounded(x, &memory);
            let memory = write::<B>(memory, 5, part::<B>(&rows, 0..2));
            let places = Tensor::<B, 1, Int>::from_data([1], &device).into_handle();
            let memory = write_at::<B>(memory, &places, part::<B>(&rows, 2..3));
            let all = floats::<B, 4>(view::<B>(&memory, 0, 8), DType::F32);
            let expected = floats::<B, 3>(rows, DType::F32);
            let zeros = |count: usize| Tensor::<B, 3>::zeros([2, count, 64], &device);
            let (first, last) = (expected.clone().narrow(1, 0, 2), expected.narrow(1, 2, 1));
            let expected = Tensor::cat(vec![zeros(1), last, zeros(3), first, zeros(1)], 1);
            assert_eq!(all.into_data(), expected.unsqueeze::<4>().into_data());
            let parts = vec![view::<B>(&memory, 4, 3), view::<B>(&memory, 0, 2)];
            let parts = floats::<B, 4>(joined::<B>(parts), DType::F32);
            let whole = floats::<B, 4>(view::<B>(&memory, 0, 8), DType::F32);
            let expected = Tensor::cat(vec![whole.clone().narrow(2, 4, 3), whole.narrow(2, 0, 2)], 2);
            assert_eq!(parts.into_data(), expected.into_data());
        }
    }
}
