use crate::TensorError;
use crate::check::ensure;
use crate::create::fits;
use crate::{Int, Tensor, TensorKind};
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// A new last dimension of size `num_classes` with a one at the position that the element names.
    /// `D2` is `D + 1`. PyTorch: `torch.nn.functional.one_hot`.
    ///
    /// # Errors
    /// When `D2` is not `D + 1`, or there are more classes than memory holds.
    pub fn try_one_hot<const D2: usize>(self, num_classes: usize) -> Result<Tensor<B, D2, Int>, TensorError> {
        ensure!(D2 == D + 1, "one_hot", "the result has rank {}, not {D2}", D + 1);
        let dtype = Int::dtype::<B>();
        fits("one_hot", &[num_classes].into(), 1, dtype)?;
        fits("one_hot", &self.shape().iter().copied().chain([num_classes]).collect(), D2, dtype)?;
        let classes = Tensor::<B, 1, Int>::arange(0..num_classes as i64, &self.device());
        let mut dims = [1; D2];
        dims[D2 - 1] = num_classes;
        // In the dtype of the classes: a narrow one does not tell all of them apart.
        let x = self.try_cast(dtype)?.unsqueeze_dim::<D2>(D);
        Ok(x.try_equal(classes.try_reshape(dims)?)?.int())
    }
}
