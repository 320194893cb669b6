use crate::Tensor;
use crate::TensorError;
use crate::check::{check, together};
use burn_backend::{Backend, HasSpec, Operation};
use burn_derive::fallible;

#[fallible]
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Matrix product of the last two dimensions; the others broadcast. PyTorch: `torch.matmul`.
    ///
    /// ```text
    /// [.., n, k] x [.., k, m] -> [.., n, m]
    /// ```
    ///
    /// # Errors
    /// When the rank is below 2 or the shapes do not fit.
    pub fn try_matmul(self, other: Self) -> Result<Self, TensorError> {
        check(&Operation::Matmul { lhs: self.handle.spec(), rhs: other.handle.spec() })?;
        together::<B>("matmul", &self.handle, &[&other.handle])?;
        Ok(Self::from_handle(B::matmul(self.handle, other.handle)))
    }
}
