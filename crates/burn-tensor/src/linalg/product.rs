use super::size::matrices;
use crate::check::ensure;
use crate::{AsDim, Int, Numeric, Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
/// # Linear algebra: products, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Computes the cross product, `x_1 y_2 - x_2 y_1` and so on, along `dim` of size 3; shapes broadcast.
    /// PyTorch: `torch.linalg.cross`.
    ///
    /// # Errors
    /// When `dim` does not exist, is not of size 3, or the shapes do not broadcast.
    pub fn try_cross(self, other: Self, dim: impl AsDim) -> Result<Self, TensorError> {
        let (left, right) = (self.shape(), other.shape());
        let dim = dim.resolve("cross", &left)?;
        ensure!(
            left[dim] == 3 && right[dim] == 3,
            "cross",
            "dimension {dim} of {left:?} and {right:?} has to be of size 3"
        );
        let dtype = self.dtype().promote(other.dtype());
        let (x, y) = (self.widened(), other.widened());
        let device = x.device();
        let (next, last) = (
            Tensor::<B, 1, Int>::from_data([1, 2, 0], &device),
            Tensor::<B, 1, Int>::from_data([2, 0, 1], &device),
        );
        let forward = x
            .clone()
            .select_unread(dim, next.clone())?
            .try_mul(y.clone().select_unread(dim, last.clone())?)?;
        let backward = x.select_unread(dim, last)?.try_mul(y.select_unread(dim, next)?)?;
        Ok(forward.try_sub(backward)?.rounded(dtype))
    }
}

#[fallible]
/// # Linear algebra: products, of Float and Int tensors
impl<B: Backend, K: Numeric> Tensor<B, 1, K> {
    /// Computes the dot product `sum_i x_i y_i`, shape `[1]`; of half-precision numbers in `f32`. PyTorch:
    /// `torch.dot`.
    ///
    /// # Errors
    /// When the lengths differ.
    pub fn try_dot(self, other: Self) -> Result<Self, TensorError> {
        let ([left], [right]) = (self.dims(), other.dims());
        ensure!(left == right, "dot", "lengths differ: [{left}] and [{right}]");
        let dtype = self.dtype().promote(other.dtype());
        Ok(self.widened().try_mul(other.widened())?.sum().rounded(dtype))
    }
}

#[fallible]
/// # Linear algebra: products, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes the covariances of variables, over observations along `dim`:
    /// `sum_k (x_ik - m_i)(x_jk - m_j) / (n - correction)`.
    ///
    /// `dim` is one of the last two dimensions, the variables are the other one, and the dimensions before
    /// are a batch: `[.., variables, n]` for `dim` -1 and `[.., n, variables]` for -2 give `[.., variables,
    /// variables]`. A correction of 1 is that of a sample. PyTorch: `torch.cov`, which has observations in
    /// columns (`dim` 1).
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend, linalg};
    /// fn principal_axes<B: Backend>(samples: Tensor<B, 2>) -> Tensor<B, 2> {
    ///     linalg::eigh::<B, 2, 1>(samples.cov(0, 1)).1
    /// }
    /// ```
    ///
    /// # Errors
    /// When the rank is below 2, or `dim` is not one of the last two dimensions.
    pub fn try_cov(self, dim: impl AsDim, correction: usize) -> Result<Self, TensorError> {
        let shape = self.shape();
        matrices("cov", &shape)?;
        let dim = dim.resolve("cov", &shape)?;
        ensure!(
            dim + 2 >= D,
            "cov",
            "observations along dimension {dim} of {shape:?}; expected one of the last two dimensions, got {dim}"
        );
        let dtype = self.dtype();
        let x = self.widened();
        let x = if dim + 1 == D { x } else { x.try_transpose()? };
        let centered = x.clone().try_sub(x.try_mean_dim(D - 1)?)?;
        let products = centered.clone().try_matmul(centered.try_transpose()?)?;
        // Where no degree of freedom is left, a covariance is not a number, as in PyTorch.
        Ok(products.try_div_scalar((shape[dim] as f64 - correction as f64).max(0.0))?.rounded(dtype))
    }
}
