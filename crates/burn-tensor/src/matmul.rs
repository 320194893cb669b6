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
        let (lhs, rhs) = (self.into_handle(), other.into_handle());
        check(&Operation::Matmul { lhs: lhs.spec(), rhs: rhs.spec() })?;
        together::<B>("matmul", &lhs, &[&rhs])?;
        Ok(Self::from_handle(B::matmul(lhs, rhs)))
    }
}
