use super::Reduction;
use crate::display::one_line;
use crate::input::check_same_shape;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;
use core::f64::consts::PI;

/// Options of [`PoissonNllLoss`].
#[derive(Config, Debug)]
pub struct PoissonNllLossConfig {
    /// Whether the input is the logarithm of the rate; otherwise it is the rate.
    #[config(default = true)]
    pub log_input: bool,
    /// Whether Stirling's approximation of `log(target!)` is added where the target is above 1.
    #[config(default = false)]
    pub full: bool,
    /// Added to the rate before its logarithm, for numerical stability; positive.
    #[config(default = 1e-8)]
    pub epsilon: f64,
}

#[fallible(config)]
impl PoissonNllLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<PoissonNllLoss, ConfigError> {
        let PoissonNllLossConfig { log_input, full, epsilon } = *self;
        FieldCheck::of("PoissonNllLossConfig").positive("epsilon", epsilon)?;
        Ok(PoissonNllLoss { log_input, full, epsilon })
    }
}

/// Negative log-likelihood of counts under a Poisson distribution: `e^x - target x` of the logarithm `x` of
/// the rate, or `x - target log(x + epsilon)` of the rate `x`. With `full` it also has
/// `target log(target) - target + log(2 pi target) / 2` where the target is above 1. PyTorch:
/// `torch.nn.PoissonNLLLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{PoissonNllLossConfig, Reduction};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let log_rate = Tensor::<NdArray, 1>::from_data([0.0, 0.0], &device);
/// let target = Tensor::from_data([0.0, 5.0], &device);
/// let loss = PoissonNllLossConfig::new().init().forward(log_rate, target, Reduction::Sum);
/// assert_eq!(loss.into_scalar(), 2.0);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct PoissonNllLoss {
    /// Whether the input is the logarithm of the rate.
    pub log_input: bool,
    /// Whether Stirling's approximation is added.
    pub full: bool,
    /// Added to the rate before its logarithm, for numerical stability.
    pub epsilon: f64,
}

#[fallible(layer = "poisson_nll_loss")]
impl PoissonNllLoss {
    /// Computes the reduced loss, shape `[1]`, of an input and targets of the same shape.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        reduction.reduce(self.forward_no_reduction(input, targets))
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
    ) -> Tensor<B, D> {
        check_same_shape("poisson_nll_loss", &input.dims(), &targets.dims());
        let losses = if self.log_input {
            input.clone().exp() - targets.clone() * input
        } else {
            input.clone() - targets.clone() * (input + self.epsilon).log()
        };
        if self.full { losses + stirling(targets) } else { losses }
    }
}

/// Stirling's approximation of `log(targets!)`, where the targets are above 1; 0 elsewhere.
fn stirling<B: Backend, const D: usize>(targets: Tensor<B, D>) -> Tensor<B, D> {
    // 1 has the logarithm 0 and no infinite gradient.
    let small = targets.clone().lower_equal_elem(1.0);
    let count = targets.mask_fill(small.clone(), 1.0);
    let stirling = count.clone() * count.clone().log() - count.clone() + (count * (2.0 * PI)).log() * 0.5;
    stirling.mask_fill(small, 0.0)
}

impl ModuleDisplay for PoissonNllLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
