use super::Reduction;
use super::difference_loss::difference_loss;
use crate::display::one_line;
use crate::half_precision::pair_in_f32;
use crate::input::check_broadcast;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`SmoothL1Loss`].
#[derive(Config, Debug)]
pub struct SmoothL1LossConfig {
    /// Difference at which the loss changes from quadratic to linear; at 0 it is the absolute error.
    #[config(default = 1.0)]
    pub beta: f64,
}

#[fallible(config)]
impl SmoothL1LossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<SmoothL1Loss, ConfigError> {
        FieldCheck::of("SmoothL1LossConfig").not_negative("beta", self.beta)?;
        Ok(SmoothL1Loss { beta: self.beta })
    }
}

/// Smooth L1 loss: with `r = |prediction - target|` it is `r^2 / (2 beta)` where `r < beta`, and
/// `r - beta / 2` elsewhere (Girshick 2015). It is [`HuberLoss`](super::HuberLoss) divided by `beta`.
/// PyTorch: `torch.nn.SmoothL1Loss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::SmoothL1LossConfig;
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let prediction = Tensor::<NdArray, 1>::from_data([1.0, -5.0], &device);
/// let loss = SmoothL1LossConfig::new().with_beta(2.0).init();
/// let losses = loss.forward_no_reduction(prediction, Tensor::zeros([2], &device));
/// assert_eq!(losses.into_data().to_f64(), [0.25, 4.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct SmoothL1Loss {
    /// Difference at which the loss changes from quadratic to linear.
    pub beta: f64,
}

difference_loss!(SmoothL1Loss, "smooth_l1_loss");

impl SmoothL1Loss {
    fn of_difference<B: Backend, const D: usize>(&self, difference: Tensor<B, D>) -> Tensor<B, D> {
        let distance = difference.abs();
        if self.beta == 0.0 {
            distance
        } else {
            // With c = min(r, beta) both cases are c (r - c / 2) / beta.
            let clamped = distance.clone().clamp_max(self.beta);
            clamped.clone() * (distance - clamped * 0.5) / self.beta
        }
    }
}

impl ModuleDisplay for SmoothL1Loss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
