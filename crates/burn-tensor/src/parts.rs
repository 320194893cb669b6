//! Parts of a tensor along one dimension.

use crate::check::ensure;
use crate::create::made;
use crate::in_operation::{expect_in_operation, try_in_operation};
use crate::index::within;
use crate::number::written;
use crate::{AsDim, Int, Slice, SliceArgs, Tensor, TensorError, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, Scalar, Shape, TensorData, TensorSpec};
use burn_derive::fallible;

#[fallible]
/// # Slices: parts of a dimension
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Selects one index of `dim`, which is removed: `D2` is `D - 1`. A negative index counts from the end.
    /// PyTorch: `torch.select`.
    ///
    /// # Errors
    /// When `dim` does not exist, the index is beyond it, or `D2` is another rank.
    pub fn try_select_dim<const D2: usize>(
        self,
        dim: impl AsDim,
        index: impl AsDim,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let dim = dim.resolve("select_dim", &self.spec().shape)?;
        let (index, size) = (index.as_isize(), self.spec().shape[dim]);
        let front = if index < 0 { index.checked_add_unsigned(size) } else { Some(index) };
        let front = front.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < size);
        let Some(front) = front else {
            let message = format_args!("index {index} is beyond dimension {dim} of {:?}", self.shape());
            return Err(TensorError::argument("select_dim", message));
        };
        self.try_narrow(dim, front, 1)?.without("select_dim", &[dim])
    }

    /// Slices a range of `dim`, with a step if it has one; negative numbers count from the end. PyTorch:
    /// indexing, `x[:, 1:5:2]`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend, s};
    /// fn tail<B: Backend>(x: Tensor<B, 3>) -> Tensor<B, 3> {
    ///     x.slice_dim(-1, -2..)
    /// }
    ///
    /// fn reversed<B: Backend>(x: Tensor<B, 3>) -> Tensor<B, 3> {
    ///     x.slice_dim(1, s![..;-1])
    /// }
    /// ```
    ///
    /// # Errors
    /// When `dim` does not exist or the range is beyond it.
    pub fn try_slice_dim(self, dim: impl AsDim, range: impl Into<Slice>) -> Result<Self, TensorError> {
        let dim = dim.resolve("slice_dim", &self.spec().shape)?;
        let mut items: Vec<Slice> = (0..dim).map(|_| Slice::from(..)).collect();
        items.push(range.into());
        self.try_slice(items)
    }

    /// Returns this tensor with `value` written into a slice. PyTorch: `x[0:1, 0:3] = 5`.
    ///
    /// # Errors
    /// When a range is beyond the dimension, or the value beside an Int tensor is a fraction.
    pub fn try_slice_fill(
        self,
        ranges: impl SliceArgs,
        value: impl Into<Scalar>,
    ) -> Result<Self, TensorError> {
        let value = written("slice_fill", value.into(), self.dtype())?;
        let items = ranges.items();
        let shape = self.clone().try_slice(items.to_vec())?.shape();
        let spec = TensorSpec { shape, dtype: self.dtype() };
        let values = Self::from_handle(B::full(spec, value, &self.device()));
        self.try_slice_assign(items.to_vec(), values)
    }

    /// Parts of the given sizes along `dim`. PyTorch: `torch.split`.
    ///
    /// # Errors
    /// When `dim` does not exist, or the sizes do not add up to it.
    pub fn try_split_with_sizes(
        self,
        sizes: impl AsRef<[usize]>,
        dim: impl AsDim,
    ) -> Result<Vec<Self>, TensorError> {
        let sizes = sizes.as_ref();
        let dim = dim.resolve("split_with_sizes", &self.spec().shape)?;
        let whole = self.spec().shape[dim];
        let total = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
        ensure!(
            total == Some(whole),
            "split_with_sizes",
            "the sizes {sizes:?} do not add up to dimension {dim} of {:?}",
            self.shape()
        );
        let mut start = 0;
        let mut parts = Vec::with_capacity(sizes.len());
        for &size in sizes {
            parts.push(self.clone().try_narrow(dim, start, size)?);
            start += size;
        }
        Ok(parts)
    }

    /// Iterates over the slices of `dim`, which stays with size 1. PyTorch: `torch.split(x, 1, dim)`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn steps<B: Backend>(sequence: Tensor<B, 3>) -> Vec<Tensor<B, 2>> {
    ///     sequence.iter_dim(1).map(|step| step.squeeze_dim(1)).collect()
    /// }
    /// ```
    ///
    /// # Errors
    /// When `dim` does not exist.
    pub fn try_iter_dim(self, dim: impl AsDim) -> Result<DimIter<B, D, K>, TensorError> {
        let dim = dim.resolve("iter_dim", &self.spec().shape)?;
        let places = 0..self.spec().shape[dim];
        Ok(DimIter { tensor: self, dim, places })
    }

    /// Windows of `size` along `dim`, `step` apart, in a new last dimension: `D2` is `D + 1`. PyTorch:
    /// `x.unfold`.
    ///
    /// ```text
    /// [.., n, ..] -> [.., (n - size) / step + 1, .., size]
    /// ```
    ///
    /// # Errors
    /// When `dim` does not exist, `size` is more than it, `step` is 0, or `D2` is another rank.
    pub fn try_unfold<const D2: usize>(
        self,
        dim: impl AsDim,
        size: usize,
        step: usize,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        ensure!(D2 == D + 1, "unfold", "the result of {:?} has rank {}, not {D2}", self.shape(), D + 1);
        let shape = self.shape();
        let dim = dim.resolve("unfold", &shape)?;
        ensure!(step > 0, "unfold", "the step is 0");
        ensure!(size <= shape[dim], "unfold", "windows of {size} are more than dimension {dim} of {shape:?}");
        let count = (shape[dim] - size) / step + 1;
        let places = (0..count).flat_map(|window| (0..size).map(move |i| (window * step + i) as i64));
        let places = TensorData::new(made([count, size], places)?, [count * size]);
        let places = Tensor::<B, 1, Int>::try_from_data(places, &self.device())?;
        let windows = self.select(dim, places);
        let split = shape[..dim].iter().copied().chain([count, size]).chain(shape[dim + 1..].iter().copied());
        windows.reshaped::<D2>(split.collect())?.try_movedim(dim + 1, -1)
    }
}

/// # Slices: parts of a dimension
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Selects whole slices of `dim` at `indices` of any shape, whose dimensions replace `dim`: `DO` is `D +
    /// DI - 1`. PyTorch: `x[:, indices]`.
    ///
    /// # Panics
    /// When `dim` does not exist or `DO` is another rank; an index beyond `dim` as in [`Tensor::gather`].
    #[track_caller]
    #[must_use]
    pub fn take<const DI: usize, const DO: usize>(
        self,
        dim: impl AsDim,
        indices: Tensor<B, DI, Int>,
    ) -> Tensor<B, DO, K> {
        expect_in_operation("take", || self.take_unread(dim, indices))
    }

    /// [`Tensor::take`], and what is wrong as a value; reads the indices.
    ///
    /// # Errors
    /// When `dim` does not exist, `DO` is another rank, or an index is beyond `dim`.
    #[track_caller]
    pub fn try_take<const DI: usize, const DO: usize>(
        self,
        dim: impl AsDim,
        indices: Tensor<B, DI, Int>,
    ) -> Result<Tensor<B, DO, K>, TensorError> {
        try_in_operation("take", || {
            within("take", dim, &self, &indices)?;
            self.take_unread(dim, indices)
        })
    }

    #[track_caller]
    fn take_unread<const DI: usize, const DO: usize>(
        self,
        dim: impl AsDim,
        indices: Tensor<B, DI, Int>,
    ) -> Result<Tensor<B, DO, K>, TensorError> {
        let shape = self.shape();
        let dim = dim.resolve("take", &shape)?;
        ensure!(DO + 1 == D + DI, "take", "the result of {shape:?} has rank {}, not {DO}", D + DI - 1);
        let places = indices.shape();
        let all = shape[..dim].iter().chain(places.iter()).chain(shape[dim + 1..].iter());
        let all: Shape = all.copied().collect();
        let list = indices.reshaped::<1>(Shape::from([places.num_elements()]))?;
        self.select_unread(dim, list)?.reshaped(all)
    }
}

/// Iterator over the slices of a dimension, see [`Tensor::iter_dim`].
#[derive(Clone, Debug)]
pub struct DimIter<B: Backend, const D: usize, K: TensorKind> {
    tensor: Tensor<B, D, K>,
    dim: usize,
    places: core::ops::Range<usize>,
}

impl<B: Backend, const D: usize, K: TensorKind> DimIter<B, D, K> {
    fn at(&self, place: usize) -> Tensor<B, D, K> {
        self.tensor.clone().narrow(self.dim, place, 1)
    }
}

impl<B: Backend, const D: usize, K: TensorKind> Iterator for DimIter<B, D, K> {
    type Item = Tensor<B, D, K>;

    fn next(&mut self) -> Option<Self::Item> {
        self.places.next().map(|place| self.at(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<B: Backend, const D: usize, K: TensorKind> DoubleEndedIterator for DimIter<B, D, K> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.places.next_back().map(|place| self.at(place))
    }
}

impl<B: Backend, const D: usize, K: TensorKind> ExactSizeIterator for DimIter<B, D, K> {}
