//! The 2-norm of gradients whose squares may overflow or vanish: their elements are multiplied by a power of
//! two that the largest of them chooses, and the norm is divided by it.

use crate::arithmetic::{add, cast, mul, recip, reduce_all, scale, sqrt, widened, with_rank};
use crate::formula::Formula;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, BinaryOp, CompareOp, DType, HasSpec, ReduceOp, Scalar, TensorSpec, UnaryOp};

/// A 2-norm, shape `[1]`, in two parts that are finite where the elements are.
#[derive(Clone, Debug)]
pub struct GradientNorm {
    /// The norm of the scaled elements.
    scaled: DynamicTensor,
    /// Power of two by which the elements were multiplied; 1 for elements of an ordinary size.
    scale: DynamicTensor,
}

impl GradientNorm {
    /// Computes the norm over all elements of `xs`, of half-precision numbers in `f32`, on the device of the
    /// first and without a read; `None` of no tensor.
    pub fn of<'x>(xs: impl Iterator<Item = &'x DynamicTensor> + Clone) -> Option<Self> {
        let first = xs.clone().next()?;
        let (device, dtype) = (Dynamic::device(first), accumulated(first.dtype()));
        let largest = xs
            .clone()
            .filter(|x| x.spec().shape.num_elements() > 0)
            .map(|x| moved(largest(x), &device, dtype))
            .reduce(|x, y| Dynamic::binary(BinaryOp::Max, x, y));
        let scale = power_of_two(largest, &device, dtype);
        let sum = xs.map(|x| moved(sum_of_squares(x, &scale), &device, dtype)).reduce(add::<Dynamic>)?;
        Some(GradientNorm { scaled: sqrt(sum), scale })
    }

    /// Returns the norm; infinite where it is beyond the range of its dtype.
    pub fn value(self) -> DynamicTensor {
        Dynamic::binary(BinaryOp::Div, self.scaled, self.scale)
    }

    /// Reads the norm. Waits for the device.
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[track_caller]
    pub fn read(self) -> f64 {
        let parts = crate::arithmetic::read(Dynamic::cat([self.scaled, self.scale].into(), 0)).to_f64();
        parts[0] / parts[1]
    }

    /// Computes the factor that limits the norm to `max_norm`: `min(max_norm / (norm + 1e-6), 1)`.
    pub fn clip_factor(self, max_norm: f64) -> DynamicTensor {
        let epsilon = scale(self.scale.clone(), 1e-6);
        let factor = scale(recip(add::<Dynamic>(self.scaled, epsilon)), max_norm);
        Dynamic::clamp(mul::<Dynamic>(factor, self.scale), None, Some(Scalar::Float(1.0)))
    }
}

/// Computes `grad * factor`, of half-precision numbers in `f32`: the factor may be too small for `f16`.
pub fn times_factor(grad: DynamicTensor, factor: &DynamicTensor) -> DynamicTensor {
    let (dtype, device, rank) = (grad.dtype(), Dynamic::device(&grad), grad.spec().shape.rank());
    let factor = Dynamic::to_device(factor.clone(), &device);
    let factor = with_rank(cast(factor, accumulated(dtype)), rank);
    cast(mul::<Dynamic>(widened(grad), factor), dtype)
}

/// Returns the dtype in which squares of `dtype` are summed.
fn accumulated(dtype: DType) -> DType {
    if dtype == DType::F64 { DType::F64 } else { DType::F32 }
}

fn moved(x: DynamicTensor, device: &DynamicDevice, dtype: DType) -> DynamicTensor {
    cast(with_rank(Dynamic::to_device(x, device), 1), dtype)
}

/// Computes the largest magnitude; NaN if an element is NaN.
fn largest(x: &DynamicTensor) -> DynamicTensor {
    let low = Dynamic::unary(UnaryOp::Neg, reduce_all(ReduceOp::Min, x.clone()));
    Dynamic::binary(BinaryOp::Max, reduce_all(ReduceOp::Max, x.clone()), low)
}

/// Returns the power of two by which elements of this largest magnitude are multiplied, so that squares of
/// the largest do not vanish and a sum of 2^32 squares does not overflow.
fn power_of_two(largest: Option<DynamicTensor>, device: &DynamicDevice, dtype: DType) -> DynamicTensor {
    let one = Dynamic::full(TensorSpec::new([1], dtype), Scalar::Int(1), device);
    let Some(largest) = largest else { return one };
    let exponents = if dtype == DType::F64 { [(400, -600), (-400, 600)] } else { [(40, -80), (-45, 88)] };
    let power = |exponent: i32| Scalar::Float(libm::ldexp(1.0, exponent));
    let [(above, down), (below, up)] = exponents;
    let high = Dynamic::compare_scalar(CompareOp::Greater, largest.clone(), power(above));
    let low = Dynamic::compare_scalar(CompareOp::Less, largest, power(below));
    Dynamic::mask_fill(Dynamic::mask_fill(one, high, power(down)), low, power(up))
}

/// Computes the sum of `(scale x)^2`, shape `[1]`.
fn sum_of_squares(x: &DynamicTensor, scale: &DynamicTensor) -> DynamicTensor {
    let (device, rank) = (Dynamic::device(x), x.spec().shape.rank());
    let x = widened(x.clone());
    let scale = with_rank(cast(Dynamic::to_device(scale.clone(), &device), x.dtype()), rank);
    let formula = Formula::like(&x);
    let (x, scale) = (formula.input(x), formula.broadcast_input(scale));
    with_rank(reduce_all(ReduceOp::Sum, (x * scale).square().run()), 1)
}
