use crate::check::{check, together};
use crate::in_operation::{expect_in_operation, try_in_operation};
use crate::number::written;
use crate::promotion::{as_target, promoted};
use crate::{AsDim, Bool, Int, Numeric, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, CompareOp, DType, Elementwise, HasSpec, Index, IndexUpdate, Operation, Scalar};
use burn_derive::fallible;

/// # Indexing with tensors
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Gathers elements: `result[.., i, ..] = x[.., indices[.., i, ..], ..]` along `dim`. PyTorch:
    /// `torch.gather`.
    ///
    /// # Panics
    /// When the shapes do not fit. An index beyond `dim` panics too where the backend computes at once
    /// (`NdArray`); a device that computes later may read any element. [`Tensor::try_gather`] checks every
    /// index.
    #[track_caller]
    #[must_use]
    pub fn gather(self, dim: impl AsDim, indices: Tensor<B, D, Int>) -> Self {
        expect_in_operation("gather", || self.gather_unread(dim, indices))
    }

    /// [`Tensor::gather`], and what is wrong as a value; reads the indices.
    ///
    /// # Errors
    /// When the shapes do not fit, or an index is beyond `dim`.
    #[track_caller]
    pub fn try_gather(self, dim: impl AsDim, indices: Tensor<B, D, Int>) -> Result<Self, TensorError> {
        try_in_operation("gather", || {
            within("gather", dim, &self, &indices)?;
            self.gather_unread(dim, indices)
        })
    }

    #[track_caller]
    pub(crate) fn gather_unread(
        self,
        dim: impl AsDim,
        indices: Tensor<B, D, Int>,
    ) -> Result<Self, TensorError> {
        let (x, indices) = (self.into_handle(), indices.into_handle());
        let dim = dim.resolve("gather", &x.spec().shape)?;
        check(&Operation::Index(Index::Gather { x: x.spec(), dim, indices: indices.spec() }))?;
        together::<B>("gather", &x, &[&indices])?;
        Ok(Self::from_handle(B::gather(x, dim, indices)))
    }

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

    /// [`Tensor::select`], and what is wrong as a value; reads the indices.
    ///
    /// # Errors
    /// When `dim` does not exist, or an index is beyond it.
    #[track_caller]
    pub fn try_select(self, dim: impl AsDim, indices: Tensor<B, 1, Int>) -> Result<Self, TensorError> {
        try_in_operation("select", || {
            within("select", dim, &self, &indices)?;
            self.select_unread(dim, indices)
        })
    }

    #[track_caller]
    pub(crate) fn select_unread(
        self,
        dim: impl AsDim,
        indices: Tensor<B, 1, Int>,
    ) -> Result<Self, TensorError> {
        let dim = dim.resolve("select", &self.spec().shape)?;
        if let Some(blocks) = self.blocks().filter(|blocks| blocks.has_rows_of(dim)) {
            return blocks.rows(indices.into_handle()).map(Self::from_handle);
        }
        let (x, indices) = (self.into_handle(), indices.into_handle());
        check(&Operation::Index(Index::Select { x: x.spec(), dim, indices: indices.spec() }))?;
        together::<B>("select", &x, &[&indices])?;
        Ok(Self::from_handle(B::select(x, dim, indices)))
    }
}

/// Returns the equivalent update of 0 and 1 for bools; assigned bools stay bools.
fn update_of_bools(update: IndexUpdate) -> Option<IndexUpdate> {
    match update {
        IndexUpdate::Assign => None,
        IndexUpdate::Add | IndexUpdate::Max => Some(IndexUpdate::Max),
        IndexUpdate::Multiply | IndexUpdate::Min => Some(IndexUpdate::Min),
    }
}

/// # Indexing with tensors
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Converts to 0 and 1 in the narrowest integers that the device has.
    fn truth_values(self) -> Tensor<B, D, Int> {
        let narrow = B::has_dtype(&self.device(), DType::U8);
        let dtype = if narrow { DType::U8 } else { Int::dtype::<B>() };
        Tensor::from_handle(B::cast(self.into_handle(), dtype))
    }

    /// Converts back: true where not zero.
    fn not_zero<L: TensorKind>(self) -> Tensor<B, D, L> {
        Tensor::from_handle(B::compare_scalar(CompareOp::NotEqual, self.into_handle(), Scalar::Int(0)))
    }
}

/// Checks that every index is in range of `dim`; reads the device.
#[track_caller]
pub(crate) fn within<B: Backend, const D: usize, const D2: usize, K: TensorKind>(
    operation: &'static str,
    dim: impl AsDim,
    x: &Tensor<B, D, K>,
    indices: &Tensor<B, D2, Int>,
) -> Result<(), TensorError> {
    let dim = dim.resolve(operation, &x.spec().shape)?;
    let size = x.spec().shape[dim];
    let indices = indices.try_to_data()?;
    let outside =
        indices.iter::<i64>().find(|&index| usize::try_from(index).map_or(true, |index| index >= size));
    match outside {
        Some(index) => Err(TensorError::argument(
            operation,
            format_args!(
                "index {index} is out of range for dimension {dim} of {:?}, which has size {size}",
                x.shape()
            ),
        )),
        None => Ok(()),
    }
}

#[fallible]
/// # Indexing with tensors
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Fills with `value` where the mask is true. PyTorch: `torch.masked_fill`.
    ///
    /// # Errors
    /// When the mask does not broadcast to `x`, or an Int tensor is filled with a fraction.
    pub fn try_mask_fill(
        self,
        mask: Tensor<B, D, Bool>,
        value: impl Into<Scalar>,
    ) -> Result<Self, TensorError> {
        let value = written("mask_fill", value.into(), self.dtype())?;
        let (x, mask) = (self.into_handle(), mask.into_handle());
        check(&Operation::Elementwise(Elementwise::MaskFill { x: x.spec(), mask: mask.spec(), value }))?;
        together::<B>("mask_fill", &x, &[&mask])?;
        Ok(Self::from_handle(B::mask_fill(x, mask, value)))
    }

    /// Selects `values` where the mask is true, and `x` elsewhere; all three broadcast. PyTorch:
    /// `torch.where(mask, values, x)`.
    ///
    /// # Errors
    /// When the shapes do not broadcast.
    pub fn try_mask_where(self, mask: Tensor<B, D, Bool>, values: Self) -> Result<Self, TensorError> {
        let (on, off) = promoted::<B>(values.into_handle(), self.into_handle());
        let mask = mask.into_handle();
        check(&Operation::Elementwise(Elementwise::MaskWhere {
            mask: mask.spec(),
            on: on.spec(),
            off: off.spec(),
        }))?;
        together::<B>("mask_where", &mask, &[&on, &off])?;
        Ok(Self::from_handle(B::mask_where(mask, on, off)))
    }
}

/// # Indexing with tensors
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Adds `values` to the positions that [`Tensor::gather`] would read; of bools, a position is true where
    /// it or one of its values is. PyTorch: `x.scatter_add`.
    ///
    /// # Panics
    /// When the shapes do not fit; an index beyond `dim` as in [`Tensor::gather`].
    #[doc(alias = "scatter_add")]
    #[track_caller]
    #[must_use]
    pub fn scatter(self, dim: impl AsDim, indices: Tensor<B, D, Int>, values: Self) -> Self {
        let call = || self.scatter_unread("scatter", dim, indices, values, IndexUpdate::Add);
        expect_in_operation("scatter", call)
    }

    /// [`Tensor::scatter`], and what is wrong as a value; reads the indices.
    ///
    /// # Errors
    /// When the shapes do not fit, or an index is beyond `dim`.
    #[track_caller]
    pub fn try_scatter(
        self,
        dim: impl AsDim,
        indices: Tensor<B, D, Int>,
        values: Self,
    ) -> Result<Self, TensorError> {
        try_in_operation("scatter", || {
            within("scatter", dim, &self, &indices)?;
            self.scatter_unread("scatter", dim, indices, values, IndexUpdate::Add)
        })
    }

    /// Adds the slices of `values` to the slices that [`Tensor::select`] would read; of bools, an element is
    /// true where it or one of its values is. PyTorch: `x.index_add`.
    ///
    /// # Panics
    /// When the shapes do not fit; an index beyond `dim` as in [`Tensor::gather`].
    #[doc(alias = "index_add")]
    #[track_caller]
    #[must_use]
    pub fn select_assign(self, dim: impl AsDim, indices: Tensor<B, 1, Int>, values: Self) -> Self {
        let call = || self.select_assign_unread("select_assign", dim, indices, values, IndexUpdate::Add);
        expect_in_operation("select_assign", call)
    }

    /// [`Tensor::select_assign`], and what is wrong as a value; reads the indices.
    ///
    /// # Errors
    /// When the shapes do not fit, or an index is beyond `dim`.
    #[track_caller]
    pub fn try_select_assign(
        self,
        dim: impl AsDim,
        indices: Tensor<B, 1, Int>,
        values: Self,
    ) -> Result<Self, TensorError> {
        try_in_operation("select_assign", || {
            within("select_assign", dim, &self, &indices)?;
            self.select_assign_unread("select_assign", dim, indices, values, IndexUpdate::Add)
        })
    }
}

/// # Indexing with tensors
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    #[track_caller]
    pub(crate) fn scatter_unread(
        self,
        operation: &'static str,
        dim: impl AsDim,
        indices: Tensor<B, D, Int>,
        values: Self,
        update: IndexUpdate,
    ) -> Result<Self, TensorError> {
        if let Some(update) = update_of_bools(update).filter(|_| self.dtype() == DType::Bool) {
            let (x, values) = (self.truth_values(), values.truth_values());
            return Ok(x.scatter_unread(operation, dim, indices, values, update)?.not_zero());
        }
        let (x, indices) = (self.into_handle(), indices.into_handle());
        let dim = dim.resolve(operation, &x.spec().shape)?;
        let values = as_target::<B>(values.into_handle(), &x);
        let (x_spec, indices_spec, value) = (x.spec(), indices.spec(), values.spec());
        check(&Operation::Index(Index::Scatter { x: x_spec, dim, indices: indices_spec, value, update }))?;
        together::<B>(operation, &x, &[&indices, &values])?;
        Ok(Self::from_handle(B::scatter(x, dim, indices, values, update)))
    }

    #[track_caller]
    pub(crate) fn select_assign_unread(
        self,
        operation: &'static str,
        dim: impl AsDim,
        indices: Tensor<B, 1, Int>,
        values: Self,
        update: IndexUpdate,
    ) -> Result<Self, TensorError> {
        if let Some(update) = update_of_bools(update).filter(|_| self.dtype() == DType::Bool) {
            let (x, values) = (self.truth_values(), values.truth_values());
            return Ok(x.select_assign_unread(operation, dim, indices, values, update)?.not_zero());
        }
        let (x, indices) = (self.into_handle(), indices.into_handle());
        let dim = dim.resolve(operation, &x.spec().shape)?;
        let values = as_target::<B>(values.into_handle(), &x);
        let (x_spec, indices_spec, value) = (x.spec(), indices.spec(), values.spec());
        check(&Operation::Index(Index::SelectAssign {
            x: x_spec,
            dim,
            indices: indices_spec,
            value,
            update,
        }))?;
        together::<B>(operation, &x, &[&indices, &values])?;
        Ok(Self::from_handle(B::select_assign(x, dim, indices, values, update)))
    }
}

#[fallible]
/// # Indexing with tensors, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Returns the upper triangle, from the diagonal `k`; zero elsewhere. PyTorch: `torch.triu`.
    ///
    /// # Errors
    /// When the rank is below 2.
    pub fn try_triu(self, k: i64) -> Result<Self, TensorError> {
        let mask = Tensor::<B, D, Bool>::try_triu_mask(self.shape(), k, &self.device())?;
        self.try_mask_fill(mask, 0)
    }

    /// Returns the lower triangle, up to the diagonal `k`; zero elsewhere. PyTorch: `torch.tril`.
    ///
    /// # Errors
    /// When the rank is below 2.
    pub fn try_tril(self, k: i64) -> Result<Self, TensorError> {
        let mask = Tensor::<B, D, Bool>::try_tril_mask(self.shape(), k, &self.device())?;
        self.try_mask_fill(mask, 0)
    }
}
