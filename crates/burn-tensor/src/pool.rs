use crate::TensorError;
use crate::check::check;
use crate::{Int, Tensor, TensorKind};
use burn_backend::{Backend, Dims, Operation, PoolArgs, PoolKind, PoolOptions, Pooling};
use burn_derive::fallible;

#[fallible]
/// # Pooling, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    #[track_caller]
    fn pool(self, kind: PoolKind, options: PoolOptions) -> Result<Self, TensorError> {
        check(&Operation::Pooling(Pooling::Pool(
            PoolArgs { kind, x: self.spec(), options: options.clone() }.into(),
        )))?;
        Ok(Self::from_handle(B::pool(PoolArgs { kind, x: self.into_handle(), options })))
    }

    /// Computes the maximum of each window of the `D - 2` last dimensions. PyTorch:
    /// `torch.nn.functional.max_pool2d` and its siblings.
    ///
    /// # Errors
    /// When a window is larger than the padded input, or the padding than half of the window.
    pub fn try_max_pool(self, options: PoolOptions) -> Result<Self, TensorError> {
        self.pool(PoolKind::Max, options)
    }

    /// Computes [`Tensor::max_pool`], and the index of each maximum in the flattened spatial dimensions of
    /// the input. PyTorch: `torch.nn.functional.max_pool2d(return_indices=True)`.
    ///
    /// # Errors
    /// When a window is larger than the padded input, or the padding than half of the window.
    pub fn try_max_pool_with_indices(
        self,
        options: PoolOptions,
    ) -> Result<(Self, Tensor<B, D, Int>), TensorError> {
        let index = Int::dtype::<B>();
        let x = self.spec();
        check(&Operation::Pooling(Pooling::MaxPoolWithIndices {
            x,
            options: options.clone().into(),
            index,
        }))?;
        let (values, indices) = B::max_pool_with_indices(self.into_handle(), options, index);
        Ok((Self::from_handle(values), Tensor::from_handle(indices)))
    }

    /// Computes the mean of each window of the `D - 2` last dimensions. PyTorch:
    /// `torch.nn.functional.avg_pool2d` and its siblings.
    ///
    /// # Errors
    /// When a window is larger than the padded input, or the padding than half of the window.
    pub fn try_avg_pool(self, options: PoolOptions, count_include_pad: bool) -> Result<Self, TensorError> {
        self.pool(PoolKind::Avg { count_include_pad }, options)
    }

    /// Computes the mean of each of `size` windows that cover the last `N` dimensions. PyTorch:
    /// `torch.nn.functional.adaptive_avg_pool2d` and its siblings.
    ///
    /// # Errors
    /// When a pooled dimension has no element.
    pub fn try_adaptive_avg_pool<const N: usize>(self, size: [usize; N]) -> Result<Self, TensorError> {
        let size = Dims::from(size);
        check(&Operation::Pooling(Pooling::AdaptiveAvgPool { x: self.spec(), size: size.clone() }))?;
        Ok(Self::from_handle(B::adaptive_avg_pool(self.into_handle(), size)))
    }
}
