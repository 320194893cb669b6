use crate::check::check;
use crate::{AsDim, Int, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, Extremum, HasSpec, Operation};

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    fn arg_reduce(self, op: Extremum, dim: usize) -> Tensor<B, D, Int> {
        let index = Int::dtype::<B>();
        check(&Operation::ArgReduce { op, x: self.handle.spec(), dim, index });
        Tensor::from_handle(B::arg_reduce(op, self.handle, dim, index))
    }

    #[track_caller]
    fn with_indices(self, op: Extremum, dim: usize) -> (Self, Tensor<B, D, Int>) {
        let index = Int::dtype::<B>();
        check(&Operation::ReduceWithIndices { op, x: self.handle.spec(), dim, index });
        let (values, indices) = B::reduce_with_indices(op, self.handle, dim, index);
        (Self::from_handle(values), Tensor::from_handle(indices))
    }

    /// Index of the largest along `dim`, which stays with size 1; of equals, the first; NaN counts as largest.
    /// PyTorch: `torch.argmax(keepdim=True)`.
    #[track_caller]
    #[must_use]
    pub fn argmax(self, dim: impl AsDim) -> Tensor<B, D, Int> {
        let dim = dim.resolve("argmax", &self.handle.spec().shape);
        self.arg_reduce(Extremum::Max, dim)
    }

    /// Index of the smallest along `dim`, which stays with size 1. PyTorch: `torch.argmin(keepdim=True)`.
    #[track_caller]
    #[must_use]
    pub fn argmin(self, dim: impl AsDim) -> Tensor<B, D, Int> {
        let dim = dim.resolve("argmin", &self.handle.spec().shape);
        self.arg_reduce(Extremum::Min, dim)
    }

    /// Largest along `dim` and its index. PyTorch: `torch.max(dim, keepdim=True)`.
    #[track_caller]
    #[must_use]
    pub fn max_dim_with_indices(self, dim: impl AsDim) -> (Self, Tensor<B, D, Int>) {
        let dim = dim.resolve("max_dim_with_indices", &self.handle.spec().shape);
        self.with_indices(Extremum::Max, dim)
    }

    /// Smallest along `dim` and its index. PyTorch: `torch.min(dim, keepdim=True)`.
    #[track_caller]
    #[must_use]
    pub fn min_dim_with_indices(self, dim: impl AsDim) -> (Self, Tensor<B, D, Int>) {
        let dim = dim.resolve("min_dim_with_indices", &self.handle.spec().shape);
        self.with_indices(Extremum::Min, dim)
    }

    /// In ascending order along `dim`, stable; NaN last. PyTorch: `torch.sort(stable=True)`.
    #[track_caller]
    #[must_use]
    pub fn sort(self, dim: impl AsDim) -> Self {
        let dim = dim.resolve("sort", &self.handle.spec().shape);
        Self::from_handle(B::sort(self.handle, dim, false))
    }

    /// In descending order along `dim`, stable; NaN first.
    #[track_caller]
    #[must_use]
    pub fn sort_descending(self, dim: impl AsDim) -> Self {
        let dim = dim.resolve("sort_descending", &self.handle.spec().shape);
        Self::from_handle(B::sort(self.handle, dim, true))
    }

    /// [`Tensor::sort`], and where each element was.
    #[track_caller]
    #[must_use]
    pub fn sort_with_indices(self, dim: impl AsDim) -> (Self, Tensor<B, D, Int>) {
        let dim = dim.resolve("sort_with_indices", &self.handle.spec().shape);
        self.sorted(dim, false)
    }

    /// [`Tensor::sort_descending`], and where each element was.
    #[track_caller]
    #[must_use]
    pub fn sort_descending_with_indices(self, dim: impl AsDim) -> (Self, Tensor<B, D, Int>) {
        let dim = dim.resolve("sort_descending_with_indices", &self.handle.spec().shape);
        self.sorted(dim, true)
    }

    /// The indices that sort `dim`. PyTorch: `torch.argsort(stable=True)`.
    #[track_caller]
    #[must_use]
    pub fn argsort(self, dim: impl AsDim) -> Tensor<B, D, Int> {
        let dim = dim.resolve("argsort", &self.handle.spec().shape);
        self.sorted(dim, false).1
    }

    /// The indices that sort `dim` in descending order.
    #[track_caller]
    #[must_use]
    pub fn argsort_descending(self, dim: impl AsDim) -> Tensor<B, D, Int> {
        let dim = dim.resolve("argsort_descending", &self.handle.spec().shape);
        self.sorted(dim, true).1
    }

    fn sorted(self, dim: usize, descending: bool) -> (Self, Tensor<B, D, Int>) {
        let (values, indices) = B::sort_with_indices(self.handle, dim, descending, Int::dtype::<B>());
        (Self::from_handle(values), Tensor::from_handle(indices))
    }

    /// The `k` largest along `dim`, largest first. PyTorch: `torch.topk`.
    ///
    /// # Panics
    /// When `dim` has fewer elements.
    #[track_caller]
    #[must_use]
    pub fn topk(self, k: usize, dim: impl AsDim) -> Self {
        self.topk_with_indices(k, dim).0
    }

    /// [`Tensor::topk`], and where they were.
    #[track_caller]
    #[must_use]
    pub fn topk_with_indices(self, k: usize, dim: impl AsDim) -> (Self, Tensor<B, D, Int>) {
        let dim = dim.resolve("topk", &self.handle.spec().shape);
        let index = Int::dtype::<B>();
        check(&Operation::TopK { x: self.handle.spec(), k, dim, largest: true, index });
        let (values, indices) = B::topk(self.handle, k, dim, true, index);
        (Self::from_handle(values), Tensor::from_handle(indices))
    }
}
