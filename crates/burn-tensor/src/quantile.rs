//! Order statistics: medians, k-th smallest elements and quantiles.

use crate::check::ensure;
use crate::{AsDim, Int, Numeric, Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
/// # Quantiles, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Computes the median along `dim`, which stays with size 1; of two, the lower; NaN if any is NaN.
    /// PyTorch: `torch.median(keepdim=True)`, its values.
    ///
    /// # Errors
    /// When `dim` does not exist or has no element.
    pub fn try_median(self, dim: impl AsDim) -> Result<Self, TensorError> {
        Ok(self.try_median_with_indices(dim)?.0)
    }

    /// [`Tensor::median`], and its index along `dim`; of equals, the first in the sorted order.
    /// PyTorch: `torch.median(keepdim=True)`.
    ///
    /// # Errors
    /// When `dim` does not exist or has no element.
    pub fn try_median_with_indices(self, dim: impl AsDim) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("median", &self.spec().shape)?;
        let size = self.spec().shape[dim];
        ensure!(size > 0, "median", "dimension {dim} of {:?} is empty", self.shape());
        self.at_place(dim, (size - 1) / 2)
    }

    /// Returns the `k`-th smallest element along `dim`, which stays with size 1, and its index; `k` counts
    /// from 1; NaN counts as largest. PyTorch: `torch.kthvalue(keepdim=True)`.
    ///
    /// # Errors
    /// When `dim` does not exist, or `k` is 0 or more than its size.
    pub fn try_kthvalue(self, k: usize, dim: impl AsDim) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let dim = dim.resolve("kthvalue", &self.spec().shape)?;
        let size = self.spec().shape[dim];
        ensure!((1..=size).contains(&k), "kthvalue", "k is {k} for dimension {dim} of {:?}", self.shape());
        let (_, order) = self.clone().try_sort_with_indices(dim)?;
        let indices = order.narrow(dim, k - 1, 1);
        Ok((self.gather(dim, indices.clone()), indices))
    }

    /// Returns the element at position `place` of the sorted order, and its index; the first NaN if there is
    /// one.
    #[track_caller]
    fn at_place(self, dim: usize, place: usize) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let size = self.spec().shape[dim];
        let (_, order) = self.clone().try_sort_with_indices(dim)?;
        let indices = if self.dtype().is_float() {
            let nans = self.clone().is_nan().int().sum_dim(dim);
            // NaN is sorted to the end, in the order of the tensor.
            let first = -nans.clone() + size;
            let place = first.mask_fill(nans.equal_elem(0), place);
            order.gather(dim, place)
        } else {
            order.narrow(dim, place, 1)
        };
        Ok((self.gather(dim, indices.clone()), indices))
    }

    /// Returns the indices of the `k` largest elements along `dim`, largest first. PyTorch: `torch.topk`, its
    /// indices.
    ///
    /// # Errors
    /// When `dim` has fewer elements.
    pub fn try_argtopk(self, k: usize, dim: impl AsDim) -> Result<Tensor<B, D, Int>, TensorError> {
        Ok(self.try_topk_with_indices(k, dim)?.1)
    }
}

#[fallible]
/// # Quantiles, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes the `q`-quantile along `dim`, interpolated linearly between the two nearest elements; `dim`
    /// stays with size 1; NaN if any is NaN. PyTorch: `torch.quantile(keepdim=True)`.
    ///
    /// # Errors
    /// When `q` is outside of `[0, 1]`, or `dim` does not exist or has no element.
    pub fn try_quantile(self, q: f64, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("quantile", &self.spec().shape)?;
        let size = self.spec().shape[dim];
        ensure!((0.0..=1.0).contains(&q), "quantile", "{q} is outside of [0, 1]");
        ensure!(size > 0, "quantile", "dimension {dim} of {:?} is empty", self.shape());
        let at = q * (size - 1) as f64;
        let (low, part) = (at as usize, at % 1.0);
        let sorted = self.try_sort(dim)?;
        let last = sorted.clone().narrow(dim, size - 1, 1);
        let mut value = sorted.clone().narrow(dim, low, 1);
        if part > 0.0 {
            value = value.try_lerp(sorted.narrow(dim, low + 1, 1), part)?;
        }
        let nan = last.clone().is_nan();
        value.try_mask_where(nan, last)
    }
}
