use crate::TensorError;
use crate::check::check;
use crate::{AsDim, Int, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, Extremum, Operation, Order, Reduction};
use burn_derive::fallible;

#[fallible]
/// # Sorting, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    fn arg_reduce(self, op: Extremum, dim: usize) -> Result<Tensor<B, D, Int>, TensorError> {
        let index = Int::dtype::<B>();
        check(&Operation::Reduction(Reduction::ArgReduce { op, x: self.spec(), dim, index }))?;
        Ok(Tensor::from_handle(B::arg_reduce(op, self.into_handle(), dim, index)))
    }

    #[track_caller]
    fn with_indices(self, op: Extremum, dim: usize) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let index = Int::dtype::<B>();
        check(&Operation::Reduction(Reduction::ReduceWithIndices { op, x: self.spec(), dim, index }))?;
        let (values, indices) = B::reduce_with_indices(op, self.into_handle(), dim, index);
        Ok((Self::from_handle(values), Tensor::from_handle(indices)))
    }

    /// Returns the index of the maximum along `dim`, which stays with size 1; of equals, the first; NaN
    /// counts as largest. PyTorch: `torch.argmax(keepdim=True)`.
    pub fn try_argmax(self, dim: impl AsDim) -> Result<Tensor<B, D, Int>, TensorError> {
        let dim = dim.resolve("argmax", &self.spec().shape)?;
        self.arg_reduce(Extremum::Max, dim)
    }

    /// Returns the index of the minimum along `dim`, which stays with size 1. PyTorch:
    /// `torch.argmin(keepdim=True)`.
    pub fn try_argmin(self, dim: impl AsDim) -> Result<Tensor<B, D, Int>, TensorError> {
        let dim = dim.resolve("argmin", &self.spec().shape)?;
        self.arg_reduce(Extremum::Min, dim)
    }

    /// Computes the maximum along `dim` and its index. PyTorch: `torch.max(dim, keepdim=True)`.
    pub fn try_max_dim_with_indices(self, dim: impl AsDim) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("max_dim_with_indices", &self.spec().shape)?;
        self.with_indices(Extremum::Max, dim)
    }

    /// Computes the minimum along `dim` and its index. PyTorch: `torch.min(dim, keepdim=True)`.
    pub fn try_min_dim_with_indices(self, dim: impl AsDim) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("min_dim_with_indices", &self.spec().shape)?;
        self.with_indices(Extremum::Min, dim)
    }

    /// Sorts in ascending order along `dim`, stably; NaN last. PyTorch: `torch.sort(stable=True)`.
    pub fn try_sort(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("sort", &self.spec().shape)?;
        Ok(Self::from_handle(B::sort(self.into_handle(), dim, false)))
    }

    /// Sorts in descending order along `dim`, stably; NaN first. PyTorch: `torch.sort(stable=True,
    /// descending=True)`.
    pub fn try_sort_descending(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("sort_descending", &self.spec().shape)?;
        Ok(Self::from_handle(B::sort(self.into_handle(), dim, true)))
    }

    /// [`Tensor::sort`], and where each element was. PyTorch: `torch.sort(stable=True)`.
    pub fn try_sort_with_indices(self, dim: impl AsDim) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("sort_with_indices", &self.spec().shape)?;
        Ok(self.sorted(dim, false))
    }

    /// [`Tensor::sort_descending`], and where each element was. PyTorch: `torch.sort(stable=True,
    /// descending=True)`.
    pub fn try_sort_descending_with_indices(
        self,
        dim: impl AsDim,
    ) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("sort_descending_with_indices", &self.spec().shape)?;
        Ok(self.sorted(dim, true))
    }

    /// Returns the indices that sort `dim`. PyTorch: `torch.argsort(stable=True)`.
    pub fn try_argsort(self, dim: impl AsDim) -> Result<Tensor<B, D, Int>, TensorError> {
        let dim = dim.resolve("argsort", &self.spec().shape)?;
        Ok(self.sorted(dim, false).1)
    }

    /// Returns the indices that sort `dim` in descending order. PyTorch: `torch.argsort(stable=True,
    /// descending=True)`.
    pub fn try_argsort_descending(self, dim: impl AsDim) -> Result<Tensor<B, D, Int>, TensorError> {
        let dim = dim.resolve("argsort_descending", &self.spec().shape)?;
        Ok(self.sorted(dim, true).1)
    }

    fn sorted(self, dim: usize, descending: bool) -> (Self, Tensor<B, D, Int>) {
        let (values, indices) = B::sort_with_indices(self.into_handle(), dim, descending, Int::dtype::<B>());
        (Self::from_handle(values), Tensor::from_handle(indices))
    }

    /// Returns the `k` largest elements along `dim`, largest first. PyTorch: `torch.topk`.
    ///
    /// # Errors
    /// When `dim` has fewer elements.
    pub fn try_topk(self, k: usize, dim: impl AsDim) -> Result<Self, TensorError> {
        Ok(self.try_topk_with_indices(k, dim)?.0)
    }

    /// [`Tensor::topk`], and where they were. PyTorch: `torch.topk`.
    pub fn try_topk_with_indices(
        self,
        k: usize,
        dim: impl AsDim,
    ) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("topk", &self.spec().shape)?;
        let index = Int::dtype::<B>();
        check(&Operation::Order(Order::TopK { x: self.spec(), k, dim, largest: true, index }))?;
        let (values, indices) = B::topk(self.into_handle(), k, dim, true, index);
        Ok((Self::from_handle(values), Tensor::from_handle(indices)))
    }
}
