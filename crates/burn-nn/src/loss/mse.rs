use super::Reduction;
use crate::half_precision::pair_in_f32;
use crate::input::check_broadcast;
use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Mean squared error: `(prediction - target)^2`. PyTorch: `torch.nn.MSELoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{MseLoss, Reduction};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let prediction = Tensor::<NdArray, 1>::from_data([1.0, 2.0], &device);
/// let target = Tensor::from_data([1.0, 4.0], &device);
/// assert_eq!(MseLoss::new().forward(prediction, target, Reduction::Mean).into_scalar(), 2.0);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct MseLoss;

#[fallible(layer = "mse_loss")]
impl MseLoss {
    /// Returns the loss.
    pub fn new() -> Self {
        Self
    }

    /// Computes the reduced loss, shape `[1]`, of a prediction and a target whose shapes broadcast.
    ///
    /// # Panics
    /// The shapes do not broadcast.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        prediction: Tensor<B, D>,
        target: Tensor<B, D>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        pair_in_f32(prediction, target, |x, y| reduction.reduce(self.losses(x, y)))
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes do not broadcast.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        prediction: Tensor<B, D>,
        target: Tensor<B, D>,
    ) -> Tensor<B, D> {
        pair_in_f32(prediction, target, |x, y| self.losses(x, y))
    }
}

impl MseLoss {
    /// The loss per element, in the type of its arguments.
    #[track_caller]
    fn losses<B: Backend, const D: usize>(
        &self,
        prediction: Tensor<B, D>,
        target: Tensor<B, D>,
    ) -> Tensor<B, D> {
        check_broadcast("mse_loss", &prediction.dims(), &target.dims());
        (prediction - target).square()
    }
}
