use super::Reduction;
use super::difference_loss::difference_loss;
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

impl MseLoss {
    /// Returns the loss.
    pub fn new() -> Self {
        Self
    }
}

difference_loss!(MseLoss, "mse_loss");

impl MseLoss {
    fn of_difference<B: Backend, const D: usize>(&self, difference: Tensor<B, D>) -> Tensor<B, D> {
        difference.square()
    }
}
