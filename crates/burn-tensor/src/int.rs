use crate::TensorError;
use crate::check::ensure;
use crate::create::fits;
use crate::random::every;
use crate::{Int, Tensor, TensorKind};
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
/// # One-hot vectors, of Int tensors
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// Encodes classes as one-hot vectors in a new last dimension of size `num_classes`. `D2` is `D + 1`. The
    /// elements are compared with the number of classes, which reads one boolean. PyTorch:
    /// `torch.nn.functional.one_hot`.
    ///
    /// # Errors
    /// When `D2` is not `D + 1`, there is no class, an element is none of them, or there are more classes
    /// than memory holds.
    pub fn try_one_hot<const D2: usize>(self, num_classes: usize) -> Result<Tensor<B, D2, Int>, TensorError> {
        ensure!(D2 == D + 1, "one_hot", "the result of {:?} has rank {}, not {D2}", self.shape(), D + 1);
        let dtype = Int::dtype::<B>();
        ensure!(num_classes > 0, "one_hot", "needs at least 1 class, found 0 for {:?}", self.shape());
        fits("one_hot", &[num_classes].into(), 1, dtype)?;
        fits("one_hot", &self.shape().iter().copied().chain([num_classes]).collect(), D2, dtype)?;
        // In the dtype of the classes: a narrow one cannot represent all of them.
        let x = self.try_cast(dtype)?;
        let known = x.clone().greater_equal_elem(0).bool_and(x.clone().lower_elem(num_classes));
        if !every::<B>(known.into_handle()) {
            let is_unknown = |class: &i64| usize::try_from(*class).map_or(true, |class| class >= num_classes);
            let unknown = x.try_to_data()?.iter::<i64>().find(is_unknown).unwrap_or_default();
            let message = format_args!("class {unknown} in {:?} is none of {num_classes} classes", x.shape());
            return Err(TensorError::argument("one_hot", message));
        }
        let classes = Tensor::<B, 1, Int>::arange(0..num_classes as i64, &x.device());
        let mut dims = [1; D2];
        dims[D2 - 1] = num_classes;
        let x = x.unsqueeze_dim::<D2>(D);
        Ok(x.try_equal(classes.try_reshape(dims)?)?.int())
    }
}
