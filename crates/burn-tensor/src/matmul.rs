use crate::Tensor;
use crate::check::check;
use burn_backend::{Backend, HasSpec, Operation};

impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Matrix product of the last two dimensions; the others broadcast. PyTorch: `torch.matmul`.
    ///
    /// ```text
    /// [.., n, k] x [.., k, m] -> [.., n, m]
    /// ```
    ///
    /// # Panics
    /// When the rank is below 2 or the shapes do not fit.
    #[track_caller]
    #[must_use]
    pub fn matmul(self, other: Self) -> Self {
        check(&Operation::Matmul { lhs: self.handle.spec(), rhs: other.handle.spec() });
        Self::from_handle(B::matmul(self.handle, other.handle))
    }
}
