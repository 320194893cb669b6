use crate::TensorError;
use crate::check::{check, together};
use crate::quantization::product;
use crate::{Numeric, Tensor};
use burn_backend::{Backend, Linalg, Operation};
use burn_derive::fallible;

#[fallible]
/// # Linear algebra: matrix product, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Computes the matrix product of the last two dimensions; the others broadcast. PyTorch: `torch.matmul`.
    ///
    /// ```text
    /// [.., n, k] x [.., k, m] -> [.., n, m]
    /// ```
    ///
    /// Sums of integers wrap around, modulo 2 to the bits of the dtype.
    ///
    /// A quantized matrix on the right is not dequantized before; with one on the left too, the sums are of
    /// whole numbers where both are `QInt8` with one scale, or one for each row of the left and each column
    /// of the right.
    ///
    /// # Errors
    /// When the rank is below 2 or the shapes do not fit.
    pub fn try_matmul(self, other: Self) -> Result<Self, TensorError> {
        check(&Operation::Linalg(Linalg::Matmul { lhs: self.spec(), rhs: other.spec() }))?;
        let (lhs, rhs) = (self.into_any(), other.into_any());
        together::<B>("matmul", lhs.part(), &[rhs.part()])?;
        Ok(Self::from_handle(match rhs.is_quantized() {
            true => product(lhs, rhs),
            false => B::matmul(lhs.tensor(), rhs.tensor()),
        }))
    }
}
