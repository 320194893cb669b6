use crate::check::ensure;
use crate::{AsDim, Int, Numeric, Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// The vector at right angles to two others, `x_1 y_2 - x_2 y_1` and so on, along `dim` of size 3; shapes broadcast.
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
        let device = self.device();
        let (next, last) = (
            Tensor::<B, 1, Int>::from_data([1, 2, 0], &device),
            Tensor::<B, 1, Int>::from_data([2, 0, 1], &device),
        );
        let forward = self
            .clone()
            .select_unread(dim, next.clone())?
            .try_mul(other.clone().select_unread(dim, last.clone())?)?;
        let backward = self.select_unread(dim, last)?.try_mul(other.select_unread(dim, next)?)?;
        forward.try_sub(backward)
    }
}

#[fallible]
impl<B: Backend, K: Numeric> Tensor<B, 1, K> {
    /// `sum_i x_i y_i`, shape `[1]`. PyTorch: `torch.dot`.
    ///
    /// # Errors
    /// When the lengths differ.
    pub fn try_dot(self, other: Self) -> Result<Self, TensorError> {
        let ([left], [right]) = (self.dims(), other.dims());
        ensure!(left == right, "dot", "lengths differ: {left} and {right}");
        Ok(self.try_mul(other)?.sum())
    }
}

impl<B: Backend> Tensor<B, 2> {
    /// The covariances of variables in rows, over observations in columns: `sum_k (x_ik - m_i)(x_jk - m_j) / (n - correction)`,
    /// `[variables, n]` gives `[variables, variables]`. A correction of 1 is that of a sample. PyTorch: `torch.cov`.
    ///
    /// ```
    /// # use burn_tensor::{Tensor, backend::Backend, linalg};
    /// fn principal_axes<B: Backend>(samples: Tensor<B, 2>) -> Tensor<B, 2> {
    ///     linalg::eigh::<B, 2, 1>(samples.transpose().cov(1)).1
    /// }
    /// ```
    #[must_use]
    pub fn cov(self, correction: usize) -> Self {
        let [_, count] = self.dims();
        let centered = self.clone() - self.mean_dim(1);
        let products = centered.clone().matmul(centered.transpose());
        // Where no degree of freedom is left, a covariance is not a number, as in PyTorch.
        products / (count as f64 - correction as f64).max(0.0)
    }
}
