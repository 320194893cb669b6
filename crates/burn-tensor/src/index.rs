use crate::check::check;
use crate::{AsDim, Bool, Int, Tensor, TensorKind};
use burn_backend::{Backend, HasSpec, IndexUpdate, Operation, Scalar};

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// `result[.., i, ..] = x[.., indices[.., i, ..], ..]` along `dim`. PyTorch: `torch.gather`.
    #[track_caller]
    #[must_use]
    pub fn gather(self, dim: impl AsDim, indices: Tensor<B, D, Int>) -> Self {
        let dim = dim.resolve("gather", &self.handle.spec().shape);
        check(&Operation::Gather { x: self.handle.spec(), dim, indices: indices.handle.spec() });
        Self::from_handle(B::gather(self.handle, dim, indices.handle))
    }

    /// Whole slices of `dim`, in the order of `indices`. PyTorch: `torch.index_select`.
    #[track_caller]
    #[must_use]
    pub fn select(self, dim: impl AsDim, indices: Tensor<B, 1, Int>) -> Self {
        let dim = dim.resolve("select", &self.handle.spec().shape);
        check(&Operation::Select { x: self.handle.spec(), dim, indices: indices.handle.spec() });
        Self::from_handle(B::select(self.handle, dim, indices.handle))
    }

    /// `value` where the mask is true, `x` elsewhere. PyTorch: `torch.masked_fill`.
    #[track_caller]
    #[must_use]
    pub fn mask_fill(self, mask: Tensor<B, D, Bool>, value: impl Into<Scalar>) -> Self {
        let value = value.into();
        check(&Operation::MaskFill { x: self.handle.spec(), mask: mask.handle.spec(), value });
        Self::from_handle(B::mask_fill(self.handle, mask.handle, value))
    }

    /// `values` where the mask is true, `x` elsewhere. PyTorch: `torch.where(mask, values, x)`.
    #[track_caller]
    #[must_use]
    pub fn mask_where(self, mask: Tensor<B, D, Bool>, values: Self) -> Self {
        let (on, off) = (values.handle.spec(), self.handle.spec());
        check(&Operation::MaskWhere { mask: mask.handle.spec(), on, off });
        Self::from_handle(B::mask_where(mask.handle, values.handle, self.handle))
    }
}

impl<B: Backend, const D: usize, K: crate::Numeric> Tensor<B, D, K> {
    /// Adds `values` to the places that [`Tensor::gather`] would read. PyTorch: `x.scatter_add`.
    #[track_caller]
    #[must_use]
    pub fn scatter(self, dim: impl AsDim, indices: Tensor<B, D, Int>, values: Self) -> Self {
        let dim = dim.resolve("scatter", &self.handle.spec().shape);
        let update = IndexUpdate::Add;
        let (x, indices_spec, value) = (self.handle.spec(), indices.handle.spec(), values.handle.spec());
        check(&Operation::Scatter { x, dim, indices: indices_spec, value, update });
        Self::from_handle(B::scatter(self.handle, dim, indices.handle, values.handle, update))
    }

    /// Adds the slices of `values` to the slices that [`Tensor::select`] would read. PyTorch: `x.index_add`.
    #[track_caller]
    #[must_use]
    pub fn select_assign(self, dim: impl AsDim, indices: Tensor<B, 1, Int>, values: Self) -> Self {
        let dim = dim.resolve("select_assign", &self.handle.spec().shape);
        let update = IndexUpdate::Add;
        let (x, indices_spec, value) = (self.handle.spec(), indices.handle.spec(), values.handle.spec());
        check(&Operation::SelectAssign { x, dim, indices: indices_spec, value, update });
        Self::from_handle(B::select_assign(self.handle, dim, indices.handle, values.handle, update))
    }

    /// The upper triangle, from the diagonal `k`; zero elsewhere. PyTorch: `torch.triu`.
    #[track_caller]
    #[must_use]
    pub fn triu(self, k: i64) -> Self {
        let mask = Tensor::<B, D, Bool>::triu_mask(self.shape(), k, &self.device());
        self.mask_fill(mask, 0)
    }

    /// The lower triangle, up to the diagonal `k`; zero elsewhere. PyTorch: `torch.tril`.
    #[track_caller]
    #[must_use]
    pub fn tril(self, k: i64) -> Self {
        let mask = Tensor::<B, D, Bool>::tril_mask(self.shape(), k, &self.device());
        self.mask_fill(mask, 0)
    }
}
