use super::Reduction;
use super::difference_loss::difference_loss;
use crate::display::one_line;
use crate::half_precision::pair_in_f32;
use crate::input::check_broadcast;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`HuberLoss`].
#[derive(Config, Debug)]
pub struct HuberLossConfig {
    /// Difference at which the loss changes from quadratic to linear; positive.
    pub delta: f64,
}

#[fallible(config)]
impl HuberLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<HuberLoss, ConfigError> {
        FieldCheck::of("HuberLossConfig").positive("delta", self.delta)?;
        Ok(HuberLoss { delta: self.delta })
    }
}

/// Huber loss, quadratic for small and linear for large errors: with `r = |prediction - target|` it is
/// `r^2 / 2` where `r <= delta`, and `delta (r - delta / 2)` elsewhere (Huber 1964). PyTorch:
/// `torch.nn.HuberLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::HuberLossConfig;
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let prediction = Tensor::<NdArray, 1>::from_data([1.0, -5.0], &device);
/// let loss = HuberLossConfig::new(2.0).init().forward_no_reduction(prediction, Tensor::zeros([2], &device));
/// assert_eq!(loss.into_data().to_f64(), [0.5, 8.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct HuberLoss {
    /// Difference at which the loss changes from quadratic to linear.
    pub delta: f64,
}

difference_loss!(HuberLoss, "huber_loss");

impl HuberLoss {
    fn of_difference<B: Backend, const D: usize>(&self, difference: Tensor<B, D>) -> Tensor<B, D> {
        let distance = difference.abs();
        // With c = min(r, delta) both cases are c (r - c / 2).
        let clamped = distance.clone().clamp_max(self.delta);
        clamped.clone() * (distance - clamped * 0.5)
    }
}

impl ModuleDisplay for HuberLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
