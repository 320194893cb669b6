//! The 2-norm of gradients whose squares may overflow or vanish: very large and very small elements are
//! divided by a power of two before they are squared (Blue 1978, "A portable Fortran program to find the
//! Euclidean norm of a vector").

use crate::arithmetic::{add, cast, mul, sqrt, widened, with_rank};
use crate::formula::{Formula, FormulaValue};
use alloc::vec;
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, BinaryOp, CompareOp, DType, HasSpec, ReduceOp, Scalar, Shape, TensorSpec};

/// Longest row whose elements one kernel keeps while it looks for the largest of them.
const LONGEST_ROW: usize = 1 << 12;

/// Shortest last dimension that is a row.
const SHORTEST_ROW: usize = 1 << 6;

/// Tensors of at most this many elements are one row.
const ONE_ROW: usize = 1 << 12;

/// Tensors of one shape that are summed in one pass. A device needs a moment for each pass, and may have as
/// few as ten buffers in one.
const TOGETHER: usize = 4;

/// A 2-norm, shape `[1]`, in two parts that are finite where the elements are: `unit sqrt(sum)`.
#[derive(Clone, Debug)]
pub struct GradientNorm {
    /// The sum of the squares of the elements, each divided by `unit`.
    sum: DynamicTensor,
    /// A power of two: 1 where the largest element has an ordinary size.
    unit: DynamicTensor,
}

/// The numbers that elements are divided by.
#[derive(Clone, Copy)]
struct Units {
    dtype: DType,
    /// Magnitudes below the first and above the second have a unit of their own.
    ordinary: [f64; 2],
    /// Units of small and of large elements.
    small: f64,
    large: f64,
}

impl Units {
    /// Returns the units for elements of `dtype`, whose squares are summed in `f32` or `f64`: the squares of
    /// the largest elements do not vanish, and a sum of 2^32 squares does not overflow.
    fn of(dtype: DType) -> Self {
        let power = |exponent: i32| libm::ldexp(1.0, exponent);
        let (dtype, [below, above, small, large]) = match dtype {
            DType::F64 => (DType::F64, [-400, 400, -600, 600]),
            _half_or_single => (DType::F32, [-45, 40, -88, 80]),
        };
        let ordinary = [power(below), power(above)];
        Units { dtype, ordinary, small: power(small), large: power(large) }
    }

    /// Returns the unit of elements of this largest magnitude; NaN of NaN.
    fn unit(self, largest: FormulaValue<'_>) -> FormulaValue<'_> {
        let [below, above] = self.ordinary;
        let (is_small, is_large) =
            (largest.compare(CompareOp::Less, below), largest.compare(CompareOp::Greater, above));
        let one = largest.clamp(1.0, Some(1.0));
        one.fill_where(is_small, self.small).fill_where(is_large, self.large)
    }
}

/// Returns a sum of squares of elements divided by `unit`, for elements divided by `wanted`. The square of
/// the ratio may vanish where the result does not.
fn in_unit<'f>(sum: FormulaValue<'f>, unit: FormulaValue<'f>, wanted: FormulaValue<'f>) -> FormulaValue<'f> {
    let ratio = unit / wanted;
    sum * ratio * ratio
}

/// Returns the sum of the squares of elements divided by `unit`.
fn squares_in<'f>(unit: FormulaValue<'f>, xs: &[FormulaValue<'f>]) -> FormulaValue<'f> {
    let squares = xs.iter().map(|&x| (x / unit).square());
    squares.reduce(|sum, square| sum + square).expect("there are tensors").reduce(ReduceOp::Sum)
}

impl GradientNorm {
    /// Computes the norm over all elements of `xs`, of half-precision numbers in `f32`, on the device of the
    /// first and without a read; `None` of no tensor.
    pub fn of<'x>(xs: impl Iterator<Item = &'x DynamicTensor> + Clone) -> Option<Self> {
        let first = xs.clone().next()?;
        let (device, units) = (Dynamic::device(first), Units::of(first.dtype()));
        let full =
            |value: f64| Dynamic::full(TensorSpec::new([1], units.dtype), Scalar::Float(value), &device);
        let mut norm = GradientNorm { sum: full(0.0), unit: full(units.small) };
        let mut groups: Vec<GradientRows> = Vec::new();
        for x in xs.filter(|x| x.spec().shape.num_elements() > 0) {
            let rows = GradientRows::of(Dynamic::to_device(x.clone(), &device));
            let Some(at) = groups.iter().position(|group| group.is_like(&rows)) else {
                groups.push(rows);
                continue;
            };
            groups[at].tensors.extend(rows.tensors);
            if groups[at].tensors.len() == TOGETHER {
                norm = norm.with(groups.remove(at), units);
            }
        }
        Some(groups.into_iter().fold(norm, |norm, rows| norm.with(rows, units)))
    }

    /// Adds the elements of tensors.
    fn with(self, rows: GradientRows, units: Units) -> Self {
        let GradientRows { tensors, folded } = rows;
        let shape = tensors[0].spec().shape.clone();
        let rank = shape.rank();
        let rows = Formula::with_rows(shape, units.dtype, folded);
        let xs: Vec<FormulaValue> = tensors.into_iter().map(|x| rows.cast_input(x)).collect();
        let sizes = xs.iter().map(|x| x.abs());
        let largest = sizes.reduce(FormulaValue::max).expect("a group has tensors").reduce(ReduceOp::Max);
        if folded == rank {
            let [before, sum_before] =
                [self.unit, self.sum].map(|x| rows.broadcast_input(with_rank(x, rank)));
            let unit = units.unit(largest).max(before);
            let sum = in_unit(sum_before, before, unit) + squares_in(unit, &xs);
            return Self::of_parts(rows.run([sum, unit]));
        }
        // The unit and the sum of each row first, then those of all rows.
        let unit = units.unit(largest);
        let [unit, sum] = rows.run([unit, squares_in(unit, &xs)]);

        let shape = sum.spec().shape.clone();
        let all = Formula::with_rows(shape, units.dtype, rank);
        let (unit, sum) = (all.input(unit), all.input(sum));
        let [before, sum_before] = [self.unit, self.sum].map(|x| all.broadcast_input(with_rank(x, rank)));
        let largest = unit.reduce(ReduceOp::Max).max(before);
        let added = in_unit(sum, unit, largest).reduce(ReduceOp::Sum);
        let sum = in_unit(sum_before, before, largest) + added;
        Self::of_parts(all.run([sum, largest]))
    }

    fn of_parts(parts: [DynamicTensor; 2]) -> Self {
        let [sum, unit] = parts.map(|x| with_rank(x, 1));
        GradientNorm { sum, unit }
    }

    /// Returns the norm; infinite where it is beyond the range of its dtype.
    pub fn value(self) -> DynamicTensor {
        mul::<Dynamic>(sqrt(self.sum), self.unit)
    }

    /// Reads the norm. Waits for the device.
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[track_caller]
    pub fn read(self) -> f64 {
        let parts = crate::arithmetic::read(Dynamic::cat([self.sum, self.unit].into(), 0)).to_f64();
        libm::sqrt(parts[0]) * parts[1]
    }

    /// Computes the factor that limits the norm to `max_norm`: `min(max_norm / (norm + 1e-6), 1)`.
    pub fn clip_factor(self, max_norm: f64) -> DynamicTensor {
        let part = |numerator: f64| {
            let numerator = Dynamic::full(
                self.unit.spec().clone(),
                Scalar::Float(numerator),
                &Dynamic::device(&self.unit),
            );
            Dynamic::binary(BinaryOp::Div, numerator, self.unit.clone())
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

/// Tensors of one shape and dtype, as rows.
struct GradientRows {
    tensors: Vec<DynamicTensor>,
    /// Trailing dimensions that are a row.
    folded: usize,
}

impl GradientRows {
    /// Returns the rows of a tensor: all of a small one, the last dimension where it has a fitting size, or
    /// that of a view.
    fn of(x: DynamicTensor) -> Self {
        let shape = x.spec().shape.clone();
        let (count, rank) = (shape.num_elements(), shape.rank());
        let last = shape.iter().last().copied().unwrap_or(1);
        let length = || (1..=LONGEST_ROW).rev().find(|length| count.is_multiple_of(*length)).unwrap_or(1);
        let (x, folded) = if rank > 0 && count > 1 && count <= ONE_ROW {
            (x, rank)
        } else if rank > 1 && (SHORTEST_ROW..=LONGEST_ROW).contains(&last) {
            (x, 1)
        } else {
            match length() {
                // Nothing divides the elements: all are one row.
                1 => (Dynamic::reshape(x, Shape::from([1, count])), 2),
                length => (Dynamic::reshape(x, Shape::from([count / length, length])), 1),
            }
        };
        GradientRows { tensors: vec![x], folded }
    }

    fn is_like(&self, other: &GradientRows) -> bool {
        self.folded == other.folded && self.tensors[0].spec() == other.tensors[0].spec()
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

    fn tensor<const D: usize>(values: Vec<f64>, shape: [usize; D], dtype: DType) -> (DynamicTensor, f64) {
        let data = TensorData::new(values, shape).convert_dtype(dtype);
        // The norm is that of the rounded numbers.
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
                tensor(numbers(1, unit), [1], dtype),
                tensor(numbers(768, unit), [768], dtype),
                tensor(numbers(70 * 128, unit), [70, 128], dtype),
                tensor(numbers(40 * 27 * 9, unit), [40, 27, 3, 3], dtype),
                tensor(numbers(2 * 5000, unit), [2, 5000], dtype),
                tensor(numbers(10_007, unit), [10_007], dtype),
            ];
            for (x, sum) in &parts {
                let norm = GradientNorm::of([x].into_iter()).unwrap().read();
                assert!((norm / sum.sqrt() - 1.0).abs() < 1e-5, "{norm} of {x:?}, expected {}", sum.sqrt());
            }
            // Groups of one shape that are whole, in part and alone; the last of a group is the largest.
            for copies in [1, 4, 7] {
                let more = (1..=copies).flat_map(|copy| {
                    let unit = unit * f64::from(copy) / 8.0;
                    [
                        tensor(numbers(768, unit), [768], dtype),
                        tensor(numbers(70 * 128, unit), [70, 128], dtype),
                        tensor(numbers(2 * 5000, unit), [2, 5000], dtype),
                    ]
                });
                let all: Vec<_> = parts.iter().cloned().chain(more).collect();
                let expected = all.iter().map(|(_, sum)| sum).sum::<f64>().sqrt();
                let norm = GradientNorm::of(all.iter().map(|(x, _)| x)).unwrap().read();
                assert!((norm / expected - 1.0).abs() < 1e-5, "{norm}, expected {expected}");
            }
        }
    }
}
