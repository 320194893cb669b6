//! The 2-norm of gradients whose squares may overflow or vanish: elements are divided by the largest of them
//! before they are squared (Blue 1978, "A portable Fortran program to find the Euclidean norm of a vector").

use crate::arithmetic::{add, cast, mul, sqrt, widened, with_rank};
use crate::formula::Formula;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, BinaryOp, DType, HasSpec, ReduceOp, Scalar, Shape, TensorSpec};

/// Longest row whose elements one kernel keeps while it looks for the largest of them.
const LONGEST_ROW: usize = 1 << 12;

/// Shortest last dimension that is a row.
const SHORTEST_ROW: usize = 1 << 6;

/// Tensors of at most this many elements are one row.
const ONE_ROW: usize = 1 << 12;

/// A 2-norm, shape `[1]`, in two parts that are finite where the elements are: `largest sqrt(sum)`.
#[derive(Clone, Debug)]
pub struct GradientNorm {
    /// The sum of the squares of the elements, each divided by `largest`.
    sum: DynamicTensor,
    /// The largest magnitude, within [`Range`].
    largest: DynamicTensor,
}

/// The magnitudes that elements are divided by: the squares of a quotient neither vanish nor overflow.
#[derive(Clone, Copy)]
struct Range {
    dtype: DType,
    least: f64,
    most: f64,
}

impl Range {
    /// Returns the range for elements of `dtype`, whose squares are summed in `f32` or `f64`.
    fn of(dtype: DType) -> Self {
        let power = |exponent: i32| libm::ldexp(1.0, exponent);
        match dtype {
            DType::F64 => Range { dtype, least: power(-500), most: power(1023) },
            _half_or_single => Range { dtype: DType::F32, least: power(-64), most: power(127) },
        }
    }
}

impl GradientNorm {
    /// Computes the norm over all elements of `xs`, of half-precision numbers in `f32`, on the device of the
    /// first and without a read; `None` of no tensor.
    pub fn of<'x>(xs: impl Iterator<Item = &'x DynamicTensor> + Clone) -> Option<Self> {
        let first = xs.clone().next()?;
        let (device, range) = (Dynamic::device(first), Range::of(first.dtype()));
        let full =
            |value: f64| Dynamic::full(TensorSpec::new([1], range.dtype), Scalar::Float(value), &device);
        let mut norm = GradientNorm { sum: full(0.0), largest: full(range.least) };
        for x in xs.filter(|x| x.spec().shape.num_elements() > 0) {
            norm = norm.with(x, range, &device);
        }
        Some(norm)
    }

    /// Adds the elements of a tensor.
    fn with(self, x: &DynamicTensor, range: Range, device: &DynamicDevice) -> Self {
        let x = Dynamic::to_device(x.clone(), device);
        let (x, folded) = in_rows(x);
        let shape = x.spec().shape.clone();
        if folded == shape.rank() {
            return self.with_row(x, shape, range);
        }
        // The largest element and the sum of each row first, then those of all rows.
        let rows = Formula::with_rows(shape, range.dtype, folded);
        let x = rows.cast_input(x);
        let largest = x.abs().reduce(ReduceOp::Max).clamp(range.least, Some(range.most));
        let sum = (x / largest).square().reduce(ReduceOp::Sum);
        let [largest, sum] = rows.run([largest, sum]);

        let shape = sum.spec().shape.clone();
        let rank = shape.rank();
        let all = Formula::with_rows(shape, range.dtype, rank);
        let (largest, sum) = (all.input(largest), all.input(sum));
        let [before, sum_before] = [self.largest, self.sum].map(|x| all.broadcast_input(with_rank(x, rank)));
        let over_all = largest.reduce(ReduceOp::Max).max(before);
        let added = ((largest / over_all).square() * sum).reduce(ReduceOp::Sum);
        let sum = (before / over_all).square() * sum_before + added;
        Self::of_parts(all.run([sum, over_all]))
    }

    /// Adds the elements of a tensor that is one row.
    fn with_row(self, x: DynamicTensor, shape: Shape, range: Range) -> Self {
        let rank = shape.rank();
        let row = Formula::with_rows(shape, range.dtype, rank);
        let x = row.cast_input(x);
        let [before, sum_before] = [self.largest, self.sum].map(|x| row.broadcast_input(with_rank(x, rank)));
        let largest = x.abs().reduce(ReduceOp::Max).clamp(range.least, Some(range.most)).max(before);
        let sum = (before / largest).square() * sum_before + (x / largest).square().reduce(ReduceOp::Sum);
        Self::of_parts(row.run([sum, largest]))
    }

    fn of_parts(parts: [DynamicTensor; 2]) -> Self {
        let [sum, largest] = parts.map(|x| with_rank(x, 1));
        GradientNorm { sum, largest }
    }

    /// Returns the norm; infinite where it is beyond the range of its dtype.
    pub fn value(self) -> DynamicTensor {
        mul::<Dynamic>(sqrt(self.sum), self.largest)
    }

    /// Reads the norm. Waits for the device.
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[track_caller]
    pub fn read(self) -> f64 {
        let parts = crate::arithmetic::read(Dynamic::cat([self.sum, self.largest].into(), 0)).to_f64();
        libm::sqrt(parts[0]) * parts[1]
    }

    /// Computes the factor that limits the norm to `max_norm`: `min(max_norm / (norm + 1e-6), 1)`.
    pub fn clip_factor(self, max_norm: f64) -> DynamicTensor {
        let part = |numerator: f64| {
            let numerator = Dynamic::full(
                self.largest.spec().clone(),
                Scalar::Float(numerator),
                &Dynamic::device(&self.largest),
            );
            Dynamic::binary(BinaryOp::Div, numerator, self.largest.clone())
        };
        let factor = Dynamic::binary(
            BinaryOp::Div,
            part(max_norm),
            add::<Dynamic>(sqrt(self.sum.clone()), part(1e-6)),
        );
        Dynamic::clamp(factor, None, Some(Scalar::Float(1.0)))
    }
}

/// Computes `grad * factor`, of half-precision numbers in `f32`: the factor may be too small for `f16`.
pub fn times_factor(grad: DynamicTensor, factor: &DynamicTensor) -> DynamicTensor {
    let dtype = grad.dtype();
    let grad = widened(grad);
    let factor = factor_for(&grad, factor);
    cast(mul::<Dynamic>(grad, factor), dtype)
}

/// Returns `factor`, shape `[1]`, on the device of `x`, in its dtype and rank.
pub fn factor_for(x: &DynamicTensor, factor: &DynamicTensor) -> DynamicTensor {
    let factor = Dynamic::to_device(factor.clone(), &Dynamic::device(x));
    with_rank(cast(factor, x.dtype()), x.spec().shape.rank())
}

/// Returns `x` with the number of trailing dimensions that are a row: all of a small tensor, the last one
/// where it has a fitting size, or a view with such a dimension.
fn in_rows(x: DynamicTensor) -> (DynamicTensor, usize) {
    let shape = x.spec().shape.clone();
    let (count, rank) = (shape.num_elements(), shape.rank());
    let last = shape.iter().last().copied().unwrap_or(1);
    if rank > 0 && count > 1 && count <= ONE_ROW {
        return (x, rank);
    }
    if rank > 1 && (SHORTEST_ROW..=LONGEST_ROW).contains(&last) {
        return (x, 1);
    }
    let length = (1..=LONGEST_ROW).rev().find(|length| count.is_multiple_of(*length)).unwrap_or(1);
    match length {
        // Nothing divides the elements: all are one row.
        1 => (Dynamic::reshape(x, Shape::from([1, count])), 2),
        length => (Dynamic::reshape(x, Shape::from([count / length, length])), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::GradientNorm;
    use alloc::vec::Vec;
    use burn_backend::dynamic::DynamicTensor;
    use burn_core::tensor::{DType, Tensor, TensorData};
    use burn_ndarray::NdArray;

    fn numbers(count: usize, unit: f64) -> Vec<f64> {
        (0..count).map(|k| unit * ((k * 7919 % 1009) as f64 / 504.0 - 1.0)).collect()
    }

    fn tensor<const D: usize>(values: &[f64], shape: [usize; D], dtype: DType) -> (DynamicTensor, f64) {
        let data = TensorData::new(values.to_vec(), shape).convert_dtype(dtype);
        // What the dtype holds is what the norm is of.
        let sum = data.to_f64().into_iter().map(|x| x * x).sum::<f64>();
        let x = Tensor::<NdArray, D>::from_data(data, (&Default::default(), dtype));
        (DynamicTensor::new::<NdArray>(x.into_handle()), sum)
    }

    /// Small tensors, long and short rows, sizes that only a view divides, and a size that nothing divides.
    #[test]
    fn norms_of_all_shapes_are_those_of_float64() {
        for (unit, dtype) in [(1.0, DType::F32), (1e-4, DType::F16), (1e18, DType::BF16), (1e150, DType::F64)]
        {
            let parts = [
                tensor(&numbers(1, unit), [1], dtype),
                tensor(&numbers(768, unit), [768], dtype),
                tensor(&numbers(70 * 128, unit), [70, 128], dtype),
                tensor(&numbers(40 * 27 * 9, unit), [40, 27, 3, 3], dtype),
                tensor(&numbers(2 * 5000, unit), [2, 5000], dtype),
                tensor(&numbers(10_007, unit), [10_007], dtype),
            ];
            for (x, sum) in &parts {
                let norm = GradientNorm::of([x].into_iter()).unwrap().read();
                assert!((norm / sum.sqrt() - 1.0).abs() < 1e-5, "{norm} of {x:?}, expected {}", sum.sqrt());
            }
            let all = parts.iter().map(|(_, sum)| sum).sum::<f64>().sqrt();
            let norm = GradientNorm::of(parts.iter().map(|(x, _)| x)).unwrap().read();
            assert!((norm / all - 1.0).abs() < 1e-5, "{norm}, expected {all}");
        }
    }
}
