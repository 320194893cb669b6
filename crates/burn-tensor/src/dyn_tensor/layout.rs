use crate::check::{check, ensure, together};
use crate::dim::resolve_all;
use crate::in_operation::{expect_in_operation, try_in_operation};
use crate::layout::inferred;
use crate::slice::{SliceArgs, resolve};
use crate::{AsDim, DynTensor, Int, Tensor, TensorError, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, Dims, HasSpec, Index, Layout, Operation, Shape};
use burn_derive::fallible;

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    #[track_caller]
    fn reshaped(self, shape: Shape) -> Result<Self, TensorError> {
        check(&Operation::Layout(Layout::Reshape { x: self.handle.spec(), shape: shape.clone() }))?;
        Ok(Self::from_handle(B::reshape(self.handle, shape)))
    }

    #[track_caller]
    fn permuted(self, axes: Dims) -> Result<Self, TensorError> {
        check(&Operation::Layout(Layout::Permute { x: self.handle.spec(), axes: axes.clone() }))?;
        Ok(Self::from_handle(B::permute(self.handle, axes)))
    }

    /// Reshapes to another shape, with the elements in row-major order; one size may be `-1`. PyTorch:
    /// `torch.reshape`.
    ///
    /// # Errors
    /// When the number of elements differs.
    pub fn try_reshape(self, sizes: &[isize]) -> Result<Self, TensorError> {
        let shape = inferred(&self.handle.spec().shape, sizes)?;
        self.reshaped(shape)
    }

    /// Permutes the dimensions: dimension `d` of the result is dimension `axes[d]`. PyTorch: `torch.permute`.
    ///
    /// # Errors
    /// When `axes` are not the dimensions in some order.
    pub fn try_permute(self, axes: &[isize]) -> Result<Self, TensorError> {
        let (shape, count) = (self.shape(), axes.len());
        ensure!(count == shape.rank(), "permute", "{axes:?} are not the dimensions of {shape:?}");
        self.permuted(resolve_all(axes, "permute", &shape)?)
    }

    /// Swaps two dimensions. PyTorch: `torch.swapaxes`.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub fn try_swap_dims(self, first: impl AsDim, second: impl AsDim) -> Result<Self, TensorError> {
        let shape = self.shape();
        let mut axes: Dims = (0..shape.rank()).collect();
        axes.swap(first.resolve("swap_dims", &shape)?, second.resolve("swap_dims", &shape)?);
        self.permuted(axes)
    }

    /// Reverses the order of elements along each of `axes`. PyTorch: `torch.flip`.
    ///
    /// # Errors
    /// When one of them does not exist, or is there twice.
    pub fn try_flip(self, axes: &[isize]) -> Result<Self, TensorError> {
        let axes = resolve_all(axes, "flip", &self.handle.spec().shape)?;
        check(&Operation::Layout(Layout::Flip { x: self.handle.spec(), axes: axes.clone() }))?;
        Ok(Self::from_handle(B::flip(self.handle, axes)))
    }

    /// Inserts a dimension of size 1 at `dim` of the result. PyTorch: `torch.unsqueeze`.
    ///
    /// # Errors
    /// When the result has no such dimension.
    pub fn try_unsqueeze_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let mut sizes: Vec<usize> = self.shape().to_vec();
        let dim = dim.resolve("unsqueeze_dim", &Dims::repeat(1, sizes.len() + 1))?;
        sizes.insert(dim, 1);
        self.reshaped(Shape::from(sizes))
    }

    /// Removes the dimension `dim` of size 1. PyTorch: `torch.squeeze`.
    ///
    /// # Errors
    /// When there is no such dimension, or its size is another.
    pub fn try_squeeze_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let shape = self.shape();
        let dim = dim.resolve("squeeze_dim", &shape)?;
        let size = shape[dim];
        ensure!(size == 1, "squeeze_dim", "dimension {dim} of {shape:?} has size {size}, not 1");
        let kept = (0..shape.rank()).filter(|&d| d != dim).map(|d| shape[d]).collect();
        self.reshaped(kept)
    }

    /// Removes the dimensions of size 1. PyTorch: `torch.squeeze`.
    pub fn try_squeeze(self) -> Result<Self, TensorError> {
        let kept: Shape = self.shape().iter().copied().filter(|&size| size != 1).collect();
        Ok(Self::from_handle(B::reshape(self.handle, kept)))
    }

    /// Repeats dimensions of size 1, and adds dimensions in front. PyTorch: `torch.broadcast_to`.
    ///
    /// # Errors
    /// When another dimension would have to grow or shrink.
    pub fn try_expand(self, shape: impl Into<Shape>) -> Result<Self, TensorError> {
        let shape = shape.into();
        check(&Operation::Layout(Layout::Expand { x: self.handle.spec(), shape: shape.clone() }))?;
        Ok(Self::from_handle(B::expand(self.handle, shape)))
    }

    /// Slices the tensor, as [`Tensor::slice`]. PyTorch: indexing, `x[0:1, 0:3]`.
    ///
    /// # Errors
    /// When a range is beyond the dimension.
    pub fn try_slice(self, ranges: impl SliceArgs) -> Result<Self, TensorError> {
        let (slices, reversed) = resolve("slice", &self.handle.spec().shape, &ranges.items())?;
        check(&Operation::Layout(Layout::Slice { x: self.handle.spec(), slices: slices.clone() }))?;
        let part = B::slice(self.handle, slices);
        Ok(Self::from_handle(if reversed.is_empty() { part } else { B::flip(part, reversed) }))
    }
}

impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Selects whole slices of `dim`, in the order of `indices`. PyTorch: `torch.index_select`.
    ///
    /// # Panics
    /// When `dim` does not exist; an index beyond it as in [`Tensor::gather`].
    #[doc(alias = "index_select")]
    #[track_caller]
    #[must_use]
    pub fn select(self, dim: impl AsDim, indices: Tensor<B, 1, Int>) -> Self {
        expect_in_operation("select", || self.select_unread(dim, indices))
    }

    /// [`DynTensor::select`], and what is wrong as a value; reads the indices.
    ///
    /// # Errors
    /// When `dim` does not exist, or an index is beyond it.
    #[track_caller]
    pub fn try_select(self, dim: impl AsDim, indices: Tensor<B, 1, Int>) -> Result<Self, TensorError> {
        try_in_operation("select", || {
            let shape = self.shape();
            let dim = dim.resolve("select", &shape)?;
            for index in indices.try_to_data()?.iter::<i64>() {
                let known = usize::try_from(index).is_ok_and(|index| index < shape[dim]);
                ensure!(known, "select", "index {index} is beyond dimension {dim} of {shape:?}");
            }
            self.select_unread(dim, indices)
        })
    }

    #[track_caller]
    fn select_unread(self, dim: impl AsDim, indices: Tensor<B, 1, Int>) -> Result<Self, TensorError> {
        let dim = dim.resolve("select", &self.handle.spec().shape)?;
        let indices = indices.into_handle();
        check(&Operation::Index(Index::Select { x: self.handle.spec(), dim, indices: indices.spec() }))?;
        together::<B>("select", &self.handle, &[&indices])?;
        Ok(Self::from_handle(B::select(self.handle, dim, indices)))
    }
}
