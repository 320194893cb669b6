use super::Reduction;
use crate::display::one_line;
use crate::half_precision::pair_in_f32;
use crate::input::{check_broadcast, check_same_shape};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Half of the logarithm of `2 pi`.
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_7;

/// Options of [`GaussianNllLoss`].
#[derive(Config, Debug)]
pub struct GaussianNllLossConfig {
    /// Whether the constant `log(2 pi) / 2` is added.
    #[config(default = false)]
    pub full: bool,
    /// Smallest variance, for numerical stability; smaller ones are raised to it. Positive.
    #[config(default = 1e-6)]
    pub epsilon: f64,
}

#[fallible(config)]
impl GaussianNllLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<GaussianNllLoss, ConfigError> {
        FieldCheck::of("GaussianNllLossConfig").positive("epsilon", self.epsilon)?;
        Ok(GaussianNllLoss { full: self.full, epsilon: self.epsilon })
    }
}

/// Negative log-likelihood of targets under a normal distribution with the mean `input` and a variance that
/// is predicted too: `(log(v) + (input - target)^2 / v) / 2` with `v = max(variance, epsilon)` (Nix and
/// Weigend 1994). PyTorch: `torch.nn.GaussianNLLLoss`; as there, the gradient of the variance passes where it
/// is raised.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{GaussianNllLossConfig, Reduction};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let mean = Tensor::<NdArray, 1>::from_data([1.0, 2.0], &device);
/// let (target, variance) = (Tensor::from_data([1.0, 4.0], &device), Tensor::ones([2], &device));
/// let loss = GaussianNllLossConfig::new().init().forward(mean, target, variance, Reduction::Mean);
/// assert_eq!(loss.into_scalar(), 1.0);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct GaussianNllLoss {
    /// Whether the constant `log(2 pi) / 2` is added.
    pub full: bool,
    /// Smallest variance.
    pub epsilon: f64,
}

#[fallible(layer = "gaussian_nll_loss")]
impl GaussianNllLoss {
    /// Computes the reduced loss, shape `[1]`, of means and targets of the same shape and variances that
    /// broadcast to it.
    ///
    /// # Panics
    /// The shapes do not fit.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
        variance: Tensor<B, D>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        pair_in_f32(input, targets, |x, y| reduction.reduce(self.losses(x, y, variance)))
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes do not fit.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
        variance: Tensor<B, D>,
    ) -> Tensor<B, D> {
        pair_in_f32(input, targets, |x, y| self.losses(x, y, variance))
    }
}

impl GaussianNllLoss {
    /// The loss per element, in the common type of its arguments.
    #[track_caller]
    fn losses<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
        variance: Tensor<B, D>,
    ) -> Tensor<B, D> {
        check_same_shape("gaussian_nll_loss", &input.dims(), &targets.dims());
        check_broadcast("gaussian_nll_loss", &input.dims(), &variance.dims());
        let raised = (variance.clone().clamp_min(self.epsilon) - variance.clone()).detach();
        let variance = variance + raised;
        let losses = (variance.clone().log() + (input - targets).square() / variance) * 0.5;
        if self.full { losses + HALF_LOG_TWO_PI } else { losses }
    }
}

impl ModuleDisplay for GaussianNllLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
