use crate::TensorError;
use crate::check::ensure;
use crate::{Int, Tensor};
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// A new last dimension of size `num_classes` with a one at the position that the element names.
    /// `D2` is `D + 1`. PyTorch: `torch.nn.functional.one_hot`.
    ///
    /// # Errors
    /// When `D2` is not `D + 1`.
    pub fn try_one_hot<const D2: usize>(self, num_classes: usize) -> Result<Tensor<B, D2, Int>, TensorError> {
        ensure!(D2 == D + 1, "one_hot", "the result has rank {}, not {D2}", D + 1);
        let classes = Tensor::<B, 1, Int>::arange(0..num_classes as i64, &self.device());
        let mut dims = [1; D2];
        dims[D2 - 1] = num_classes;
        Ok(self.unsqueeze_dim::<D2>(D).equal(classes.reshape(dims)).int())
    }
}
