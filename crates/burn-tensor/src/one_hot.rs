use crate::check::ensure;
use crate::create::fits;
use crate::in_operation::try_in_operation;
use crate::number::written;
use crate::{AsDim, Int, Numeric, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, Scalar, Shape, TensorSpec};
use burn_derive::fallible;

#[fallible]
/// # One-hot vectors, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Encodes classes in a new dimension of size `num_classes` at `dim` of the result: `on` at the class of
    /// the element and `off` elsewhere; an element out of range is `off` everywhere. `D2` is `D + 1`. PyTorch
    /// has no counterpart.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn smoothed<B: Backend>(classes: Tensor<B, 1>) -> Tensor<B, 2> {
    ///     classes.one_hot_fill(10, 0.91, 0.01, -1)
    /// }
    /// ```
    ///
    /// # Errors
    /// When `D2` is not `D + 1`, `dim` does not exist, a fraction is written beside integers, or there are
    /// more classes than memory holds.
    pub fn try_one_hot_fill<const D2: usize>(
        self,
        num_classes: usize,
        on: impl Into<Scalar>,
        off: impl Into<Scalar>,
        dim: impl AsDim,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        ensure!(D2 == D + 1, "one_hot_fill", "the result of {:?} has rank {}, not {D2}", self.shape(), D + 1);
        let dim = dim.resolve("one_hot_fill", &[1; D2])?;
        let (dtype, device) = (self.dtype(), self.device());
        let (on, off) =
            (written("one_hot_fill", on.into(), dtype)?, written("one_hot_fill", off.into(), dtype)?);
        let mut sizes = [1; D2];
        sizes[dim] = num_classes;
        let own = self.shape();
        let shape: Shape = own[..dim].iter().chain([&num_classes]).chain(&own[dim..]).copied().collect();
        let spec: TensorSpec = fits("one_hot_fill", &shape, D2, dtype)?;
        // The range of classes is created even when `self` is empty, so its size is checked as well.
        fits("one_hot_fill", &[num_classes].into(), 1, Int::dtype::<B>())?;
        let classes = Tensor::<B, 1, Int>::try_arange(0..num_classes as i64, &device)?;
        let classes = B::cast(classes.reshape(sizes).into_handle(), dtype);
        let named = self.try_unsqueeze_dim::<D2>(dim)?;
        let hot = named.try_equal(Tensor::from_handle(classes))?;
        Tensor::<B, D2, K>::from_handle(B::full(spec, off, &device)).try_mask_fill(hot, on)
    }
}

/// One-hot vectors of classes that are written as floats: `x.one_hot(num_classes)`.
///
/// A trait, since [`Tensor::one_hot`] of a Float tensor is a function of one index: `Tensor::<B,
/// 1>::one_hot(2, 4, &device)`. The prelude has it.
pub trait OneHot: Sized {
    /// Result with a new last dimension; `D2` is one more than the rank.
    type Encoded<const D2: usize>;

    /// Encodes classes as one-hot vectors in a new last dimension of size `num_classes`. PyTorch:
    /// `torch.nn.functional.one_hot`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::prelude::*;
    /// let x = Tensor::<NdArray, 1>::from_data([0.0, 2.0], &Default::default());
    /// let encoded: Tensor<NdArray, 2> = x.one_hot(3);
    /// assert_eq!(encoded.into_data(), TensorData::from([[1.0_f32, 0.0, 0.0], [0.0, 0.0, 1.0]]));
    /// ```
    ///
    /// # Panics
    /// As [`OneHot::try_one_hot`] returns errors.
    #[track_caller]
    #[must_use]
    fn one_hot<const D2: usize>(self, num_classes: usize) -> Self::Encoded<D2>;

    /// [`OneHot::one_hot`], and what is wrong as a value.
    ///
    /// # Errors
    /// When `D2` is another rank, there is no class, or an element is none of them.
    #[track_caller]
    fn try_one_hot<const D2: usize>(self, num_classes: usize) -> Result<Self::Encoded<D2>, TensorError>;
}

impl<B: Backend, const D: usize> OneHot for Tensor<B, D> {
    type Encoded<const D2: usize> = Tensor<B, D2>;

    #[track_caller]
    fn one_hot<const D2: usize>(self, num_classes: usize) -> Tensor<B, D2> {
        match OneHot::try_one_hot(self, num_classes) {
            Ok(encoded) => encoded,
            Err(error) => error.raise(),
        }
    }

    #[track_caller]
    fn try_one_hot<const D2: usize>(self, num_classes: usize) -> Result<Tensor<B, D2>, TensorError> {
        try_in_operation("one_hot", || {
            let dtype = self.dtype();
            let classes = self.clone().int();
            let is_whole = self.try_equal(classes.clone().float())?.all();
            ensure!(is_whole.into_scalar(), "one_hot", "an element is no whole number, so no class");
            let encoded = Tensor::<B, D, Int>::try_one_hot::<D2>(classes, num_classes)?;
            encoded.float().try_cast(dtype)
        })
    }
}
