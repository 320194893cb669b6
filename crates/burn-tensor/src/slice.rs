use crate::TensorError;
use crate::check::{check, ensure, together};
use crate::promotion::as_target;
use crate::{AsDim, Tensor, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, Dims, HasSpec, Layout, Operation, Slices};
use burn_derive::fallible;
use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use smallvec::SmallVec;

/// Range of indices of one dimension, with a step. Negative numbers count from the end. PyTorch:
/// `slice(start, end, step)`.
///
/// Ranges and single indices become one with `From`, and [`s!`](crate::s) writes them with a step.
///
/// ```
/// use burn::tensor::{Slice, Tensor, backend::Backend, s};
/// fn halves<B: Backend>(x: Tensor<B, 2>) -> [Tensor<B, 2>; 3] {
///     [x.clone().slice([Slice::new(0, None, 2)]), x.clone().slice(s![..;2]), x.slice_dim(0, s![..;2])]
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// First index of the range.
    pub start: isize,
    /// Index after the last one of the range; without one, the range goes to the end of the dimension.
    pub end: Option<isize>,
    /// Distance between indices; a negative step walks from the end of the range to its start.
    pub step: isize,
}

impl Slice {
    /// Returns the range from `start` to before `end` with a step. PyTorch: `slice(start, end, step)`.
    pub fn new(start: isize, end: Option<isize>, step: isize) -> Self {
        Slice { start, end, step }
    }

    /// Returns the whole dimension. PyTorch: `slice(None)`.
    pub fn full() -> Self {
        Slice::from(..)
    }

    /// Returns one index, which leaves its dimension with size 1. PyTorch: `slice(index, index + 1)`.
    pub fn index(index: isize) -> Self {
        Slice::from(index)
    }

    /// Returns this range with a step; a negative one walks from the end of the range to its start.
    #[must_use]
    pub fn with_step(self, step: isize) -> Self {
        Slice { step, ..self }
    }

    /// Resolves the range to non-negative indices, and whether it is reversed.
    #[track_caller]
    fn resolve(
        self,
        operation: &'static str,
        dim: usize,
        shape: &[usize],
    ) -> Result<(burn_backend::Slice, bool), TensorError> {
        let (Slice { start, end, step }, size) = (self, shape[dim]);
        ensure!(step != 0, operation, "the step of dimension {dim} is 0");
        let front = |at: isize| {
            let front = if at < 0 { at.checked_add_unsigned(size) } else { Some(at) };
            front.and_then(|at| usize::try_from(at).ok()).filter(|&at| at <= size)
        };
        let bounds = front(start).zip(end.map_or(Some(size), front));
        let Some((start, end)) = bounds else {
            let end = end.map_or(size as isize, |end| end);
            let message = format_args!("range {start}..{end} is beyond dimension {dim} of {shape:?}");
            return Err(TensorError::argument(operation, message));
        };
        let (stride, end) = (step.unsigned_abs(), end.max(start));
        if step > 0 {
            return Ok((burn_backend::Slice { start, end, step: stride }, false));
        }
        // From the last element down: the same elements, counted from the front.
        let first = if end > start { start + (end - 1 - start) % stride } else { start };
        Ok((burn_backend::Slice { start: first, end, step: stride }, true))
    }
}

macro_rules! ranges {
    ($($ty:ty)*) => {$(
        impl From<Range<$ty>> for Slice {
            fn from(range: Range<$ty>) -> Self {
                Slice { start: range.start.as_isize(), end: Some(range.end.as_isize()), step: 1 }
            }
        }
        impl From<RangeInclusive<$ty>> for Slice {
            fn from(range: RangeInclusive<$ty>) -> Self {
                let end = range.end().as_isize();
                Slice { start: range.start().as_isize(), end: after(end), step: 1 }
            }
        }
        impl From<RangeFrom<$ty>> for Slice {
            fn from(range: RangeFrom<$ty>) -> Self {
                Slice { start: range.start.as_isize(), end: None, step: 1 }
            }
        }
        impl From<RangeTo<$ty>> for Slice {
            fn from(range: RangeTo<$ty>) -> Self {
                Slice { start: 0, end: Some(range.end.as_isize()), step: 1 }
            }
        }
        impl From<RangeToInclusive<$ty>> for Slice {
            fn from(range: RangeToInclusive<$ty>) -> Self {
                Slice { start: 0, end: after(range.end.as_isize()), step: 1 }
            }
        }
        impl From<$ty> for Slice {
            fn from(index: $ty) -> Self {
                let start = index.as_isize();
                Slice { start, end: after(start), step: 1 }
            }
        }
    )*};
}
ranges!(i32 i64 isize usize);

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Self {
        Slice { start: 0, end: None, step: 1 }
    }
}

/// Converts one range as written in [`s!`](crate::s).
impl From<[Slice; 1]> for Slice {
    fn from([range]: [Slice; 1]) -> Self {
        range
    }
}

/// Returns the exclusive end of a range that includes `at`; `None` after `-1`.
fn after(at: isize) -> Option<isize> {
    if at == -1 { None } else { Some(at.saturating_add(1)) }
}

/// Slices of the first dimensions; the remaining dimensions stay whole.
pub trait SliceArgs {
    fn items(self) -> SmallVec<[Slice; 6]>;
}

impl<R: Into<Slice>, const N: usize> SliceArgs for [R; N] {
    fn items(self) -> SmallVec<[Slice; 6]> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<R: Into<Slice>> SliceArgs for Vec<R> {
    fn items(self) -> SmallVec<[Slice; 6]> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! borrowed {
    ($([$($generics:tt)*] $args:ty),*) => {$(
        impl<R: Into<Slice> + Clone $($generics)*> SliceArgs for $args {
            fn items(self) -> SmallVec<[Slice; 6]> {
                self.iter().cloned().map(Into::into).collect()
            }
        }
    )*};
}
borrowed! { [] &[R], [] &Vec<R>, [, const N: usize] &[R; N] }

macro_rules! single {
    ($($range:ident)*) => {$(
        impl<I> SliceArgs for $range<I>
        where
            Slice: From<$range<I>>,
        {
            fn items(self) -> SmallVec<[Slice; 6]> {
                SmallVec::from_slice(&[self.into()])
            }
        }
    )*};
}
single! { Range RangeInclusive RangeFrom RangeTo RangeToInclusive }

impl SliceArgs for Slice {
    fn items(self) -> SmallVec<[Slice; 6]> {
        SmallVec::from_slice(&[self])
    }
}

/// Ranges for [`Tensor::slice`]: `s![.., 1..3, -1, ..;2]` takes everything, two rows, the last column and
/// every second element. Negative numbers count from the end, a negative step walks backwards, and a single
/// index leaves its dimension with size 1. One range is also what [`Tensor::slice_dim`] takes:
/// `x.slice_dim(1, s![..;-1])`.
#[macro_export]
macro_rules! s {
    ($($range:expr $(; $step:expr)?),* $(,)?) => {
        [$($crate::Slice::from($range)$(.with_step($step))?),*]
    };
}

#[track_caller]
pub(crate) fn resolve(
    operation: &'static str,
    shape: &[usize],
    items: &[Slice],
) -> Result<(Slices, Dims), TensorError> {
    let (rank, count) = (shape.len(), items.len());
    ensure!(count <= rank, operation, "{count} ranges for {shape:?} (rank {rank})");
    let mut slices = Slices::new();
    let mut reversed = SmallVec::<[usize; 6]>::new();
    for (dim, item) in items.iter().enumerate() {
        let (slice, reverse) = item.resolve(operation, dim, shape)?;
        slices.push(slice);
        if reverse {
            reversed.push(dim);
        }
    }
    Ok((slices, Dims::from(&reversed[..])))
}

#[fallible]
/// # Slices
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Slices the tensor by ranges for the first dimensions: an array, slice or vector of them, [`s!`], or
    /// one range. PyTorch: indexing, `x[0:1, 0:3]`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend, s};
    /// fn corner<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    ///     x.clone().slice([0..1, 0..3]) + x.slice(s![-1, 3..;-1])
    /// }
    /// ```
    ///
    /// # Errors
    /// When a range is beyond the dimension.
    pub fn try_slice(self, ranges: impl SliceArgs) -> Result<Self, TensorError> {
        let (slices, reversed) = resolve("slice", &self.spec().shape, &ranges.items())?;
        check(&Operation::Layout(Layout::Slice { x: self.spec(), slices: slices.clone() }))?;
        let part = B::slice(self.into_handle(), slices);
        Ok(Self::from_handle(if reversed.is_empty() { part } else { B::flip(part, reversed) }))
    }

    /// Returns this tensor with `values` written into a slice. PyTorch: `x[0:1, 0:3] = values`.
    ///
    /// # Errors
    /// When a range is beyond the dimension, or the part has another shape than `values`.
    pub fn try_slice_assign(self, ranges: impl SliceArgs, values: Self) -> Result<Self, TensorError> {
        let x = self.into_handle();
        let (slices, reversed) = resolve("slice_assign", &x.spec().shape, &ranges.items())?;
        let values = as_target::<B>(values.into_handle(), &x);
        check(&Operation::Layout(Layout::SliceAssign {
            x: x.spec(),
            slices: slices.clone(),
            value: values.spec(),
        }))?;
        together::<B>("slice_assign", &x, &[&values])?;
        let values = if reversed.is_empty() { values } else { B::flip(values, reversed) };
        Ok(Self::from_handle(B::slice_assign(x, slices, values)))
    }

    /// Narrows `dim` to `length` elements from `start`. PyTorch: `torch.narrow`.
    pub fn try_narrow(self, dim: impl AsDim, start: usize, length: usize) -> Result<Self, TensorError> {
        let dim = dim.resolve("narrow", &self.spec().shape)?;
        let shape = &self.spec().shape;
        let end = start.saturating_add(length);
        ensure!(end <= shape[dim], "narrow", "{start}..{end} is beyond dimension {dim} of {shape:?}");
        let mut slices: Slices = shape.iter().map(|&size| burn_backend::Slice::from(0..size)).collect();
        slices[dim] = burn_backend::Slice::from(start..end);
        Ok(Self::from_handle(B::slice(self.into_handle(), slices)))
    }
}
