//! Reductions over several dimensions in one call.

use crate::dim::resolve_all;
use crate::linalg::root;
use crate::reduce::{mean, reduce};
use crate::{AsDim, Bool, Numeric, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, Dims, ReduceOp};
use burn_derive::fallible;

#[fallible]
/// # Reductions over several dimensions, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    fn over(self, operation: &'static str, op: ReduceOp, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        let dims = resolve_all(dims, operation, &self.spec().shape)?;
        if dims.is_empty() { Ok(self) } else { reduce(self.into_handle(), op, dims) }
    }

    /// Sums over `dims`, which stay with size 1; without `dims`, returns the tensor unchanged. PyTorch:
    /// `torch.sum(keepdim=True)`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn by_channel<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 4> {
    ///     images.sum_dims(&[0, -2, -1])
    /// }
    /// ```
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice.
    pub fn try_sum_dims(self, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        self.over("sum_dims", ReduceOp::Sum, dims)
    }

    /// Sums over `dims`, which are removed: `D2` is `D` less their number. PyTorch: `torch.sum`.
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice, or `D2` is another rank.
    pub fn try_sum_dims_squeeze<const D2: usize>(
        self,
        dims: &[impl AsDim],
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let dims = resolve_all(dims, "sum_dims_squeeze", &self.spec().shape)?;
        self.over("sum_dims_squeeze", ReduceOp::Sum, &dims)?.without("sum_dims_squeeze", &dims)
    }

    /// Computes the product over `dims`, which stay with size 1. PyTorch has no counterpart.
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice.
    pub fn try_prod_dims(self, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        self.over("prod_dims", ReduceOp::Prod, dims)
    }

    /// Computes the mean over `dims`, which stay with size 1; of integers, truncated. PyTorch:
    /// `torch.mean(keepdim=True)`.
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice, or integers have no element.
    pub fn try_mean_dims(self, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        let shape = self.shape();
        let dims = resolve_all(dims, "mean_dims", &shape)?;
        if dims.is_empty() {
            return Ok(self);
        }
        let count = dims.iter().map(|&dim| shape[dim]).product();
        mean(self.into_handle(), dims, count)
    }

    /// Computes the maximum over `dims`, which stay with size 1; NaN if any is NaN. PyTorch:
    /// `torch.amax(keepdim=True)`.
    ///
    /// # Errors
    /// When a dimension does not exist, is named twice or has no element.
    pub fn try_max_dims(self, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        self.over("max_dims", ReduceOp::Max, dims)
    }

    /// Computes the minimum over `dims`, which stay with size 1; NaN if any is NaN. PyTorch:
    /// `torch.amin(keepdim=True)`.
    ///
    /// # Errors
    /// When a dimension does not exist, is named twice or has no element.
    pub fn try_min_dims(self, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        self.over("min_dims", ReduceOp::Min, dims)
    }

    /// Computes the largest `|x|` of all elements, shape `[1]`; NaN if any is NaN. PyTorch:
    /// `torch.linalg.vector_norm(ord=inf)`.
    ///
    /// # Errors
    /// When there is no element.
    pub fn try_max_abs(self) -> Result<Tensor<B, 1, K>, TensorError> {
        self.abs().try_max()
    }

    /// Computes the largest `|x|` along `dim`, which stays with size 1; NaN if any is NaN. PyTorch:
    /// `torch.linalg.vector_norm(ord=inf, keepdim=True)`.
    ///
    /// # Errors
    /// When `dim` does not exist or has no element.
    pub fn try_max_abs_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.abs().along("max_abs_dim", ReduceOp::Max, dim)
    }

    /// Computes the largest `|x|` over `dims`, which stay with size 1; NaN if any is NaN. PyTorch:
    /// `torch.linalg.vector_norm(ord=inf, keepdim=True)`.
    ///
    /// # Errors
    /// When a dimension does not exist, is named twice or has no element.
    pub fn try_max_abs_dims(self, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        self.abs().over("max_abs_dims", ReduceOp::Max, dims)
    }
}

#[fallible]
/// # Reductions over several dimensions
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// [`Tensor::any`] over `dims`, which stay with size 1. PyTorch: `torch.any(keepdim=True)`.
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice.
    pub fn try_any_dims(self, dims: &[impl AsDim]) -> Result<Tensor<B, D, Bool>, TensorError> {
        let dims = resolve_all(dims, "any_dims", &self.spec().shape)?;
        truth_over(self.truth(), ReduceOp::Any, dims)
    }

    /// [`Tensor::all`] over `dims`, which stay with size 1. PyTorch: `torch.all(keepdim=True)`.
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice.
    pub fn try_all_dims(self, dims: &[impl AsDim]) -> Result<Tensor<B, D, Bool>, TensorError> {
        let dims = resolve_all(dims, "all_dims", &self.spec().shape)?;
        truth_over(self.truth(), ReduceOp::All, dims)
    }
}

#[track_caller]
fn truth_over<B: Backend, const D: usize>(
    x: B::Tensor,
    op: ReduceOp,
    dims: Dims,
) -> Result<Tensor<B, D, Bool>, TensorError> {
    if dims.is_empty() { Ok(Tensor::from_handle(x)) } else { reduce(x, op, dims) }
}

#[fallible]
/// # Reductions over several dimensions, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes the standard deviation, the square root of [`Tensor::var`], along `dim`, which stays with
    /// size 1. The gradient at equal elements is zero. PyTorch: `torch.std`.
    pub fn try_std(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("std", &self.spec().shape)?;
        Ok(self.deviation(dim, 1))
    }

    /// Computes the biased standard deviation, the square root of [`Tensor::var_bias`], along `dim`.
    /// The gradient at equal elements is zero. PyTorch: `torch.std(correction=0)`.
    pub fn try_std_bias(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("std_bias", &self.spec().shape)?;
        Ok(self.deviation(dim, 0))
    }

    fn deviation(self, dim: usize, correction: usize) -> Self {
        let dtype = self.dtype();
        let variance = self.wide_spread(dim, correction).0;
        Self::from_handle(root::<B>(variance.into_handle())).rounded(dtype)
    }

    /// Computes `log(sum(e^x))` along `dim`, which stays with size 1, without overflow on the way. PyTorch:
    /// `torch.logsumexp(keepdim=True)`.
    ///
    /// # Errors
    /// When `dim` does not exist.
    pub fn try_logsumexp(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("logsumexp", &self.spec().shape)?;
        if self.spec().shape[dim] == 0 {
            return Ok(self.try_sum_dim(dim)?.log());
        }
        let dtype = self.dtype();
        let x = self.widened();
        let largest = x.clone().detach().try_max_dim(dim)?;
        // An infinity is no scale: it would be subtracted from itself.
        let infinite = largest.clone().is_inf();
        let scale = largest.mask_fill(infinite, 0);
        Ok(((x - scale.clone()).exp().sum_dim(dim).log() + scale).rounded(dtype))
    }
}
