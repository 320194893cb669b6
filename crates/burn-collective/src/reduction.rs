//! Reductions over ranks, on the host.

use burn_ir::{DType, TensorData, bf16, f16};
use core::fmt;

/// Function by which the values of all ranks become one.
///
/// Values are taken in the order of ranks, so every rank and every run has the same bits. Halves (`f16`,
/// `bf16`) are summed in `f32` and rounded once. Sums and products of integers wrap around, and their mean is
/// rounded toward zero. NaN wins in minima and maxima. PyTorch: `torch.distributed.ReduceOp`.
///
/// ```
/// use burn::collective::Reduction;
///
/// assert_eq!(Reduction::Mean.to_string(), "mean");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Sum of the values.
    Sum,
    /// Sum of the values, divided by the number of ranks.
    Mean,
    /// Least value.
    Min,
    /// Greatest value.
    Max,
    /// Product of the values.
    Product,
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reduction::Sum => "sum",
            Reduction::Mean => "mean",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::Product => "product",
        })
    }
}

/// Element type in which reductions are computed.
trait Accumulator: Copy {
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// Returns whether this value is replaced by `other` in a minimum.
    fn is_above(self, other: Self) -> bool;
    fn is_nan(self) -> bool;
    fn divide(self, count: usize) -> Self;
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Accumulator for $ty {
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            fn is_above(self, other: Self) -> bool {
                self > other
            }
            fn is_nan(self) -> bool {
                <$ty>::is_nan(self)
            }
            fn divide(self, count: usize) -> Self {
                self / count as $ty
            }
        }
    )*};
}
floats!(f32 f64);

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Accumulator for $ty {
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn is_above(self, other: Self) -> bool {
                self > other
            }
            fn is_nan(self) -> bool {
                false
            }
            fn divide(self, count: usize) -> Self {
                // The number of ranks may not fit the type, the quotient does.
                (i128::from(self) / count as i128) as $ty
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

fn pick<A: Accumulator>(value: A, next: A, replaces: bool) -> A {
    if value.is_nan() || !(next.is_nan() || replaces) { value } else { next }
}

/// Reduces `lists[rank][i]` over the ranks, for every `i`.
fn reduce_lists<T: Copy, A: Accumulator>(
    reduction: Reduction,
    lists: &[&[T]],
    out: &mut [T],
    widen: impl Fn(T) -> A,
    narrow: impl Fn(A) -> T,
) {
    let Some((first, others)) = lists.split_first() else { return };
    let step = |value: A, next: A| match reduction {
        Reduction::Sum | Reduction::Mean => value.add(next),
        Reduction::Min => pick(value, next, value.is_above(next)),
        Reduction::Max => pick(value, next, next.is_above(value)),
        Reduction::Product => value.multiply(next),
    };
    for (at, (out, first)) in out.iter_mut().zip(*first).enumerate() {
        let value = others.iter().fold(widen(*first), |value, list| step(value, widen(list[at])));
        *out = narrow(if reduction == Reduction::Mean { value.divide(lists.len()) } else { value });
    }
}

/// Reduces elements of `dtype`, given as the bytes of each rank, into `out`. All have the same length.
pub fn reduce_bytes(reduction: Reduction, dtype: DType, lists: &[&[u8]], out: &mut TensorData) {
    let out = out.as_mut_bytes();
    macro_rules! reduce {
        ($ty:ty, $widen:expr, $narrow:expr) => {{
            let lists: Vec<&[$ty]> = lists.iter().map(|bytes| bytemuck::cast_slice(bytes)).collect();
            reduce_lists(reduction, &lists, bytemuck::cast_slice_mut::<u8, $ty>(out), $widen, $narrow);
        }};
        ($ty:ty) => {
            reduce!($ty, |x: $ty| x, |x: $ty| x)
        };
    }
    match dtype {
        DType::F64 => reduce!(f64),
        DType::F32 => reduce!(f32),
        DType::F16 => reduce!(f16, f16::to_f32, f16::from_f32),
        DType::BF16 => reduce!(bf16, bf16::to_f32, bf16::from_f32),
        DType::I64 => reduce!(i64),
        DType::I32 => reduce!(i32),
        DType::I16 => reduce!(i16),
        DType::I8 => reduce!(i8),
        DType::U64 => reduce!(u64),
        DType::U32 => reduce!(u32),
        DType::U16 => reduce!(u16),
        // Bools are refused before: there is no arithmetic for them.
        DType::U8 | DType::Bool => reduce!(u8),
    }
}
