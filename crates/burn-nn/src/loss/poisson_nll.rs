use super::Reduction;
use crate::display::one_line;
use crate::input::{check_same_shape, require};
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
    /// The shapes differ, or a rate is negative, without `log_input`.
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
    /// The shapes differ, or a rate is negative, without `log_input`.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
    ) -> Tensor<B, D> {
        check_same_shape("poisson_nll_loss", &input.dims(), &targets.dims());
        let losses = if self.log_input {
            input.clone().exp() - targets.clone() * input
        } else {
            require_rates(&input);
            input.clone() - targets.clone() * (input + self.epsilon).log()
        };
        if self.full { losses + stirling(targets) } else { losses }
    }
}

/// Refuses a negative rate, whose logarithm is NaN.
#[track_caller]
fn require_rates<B: Backend, const D: usize>(input: &Tensor<B, D>) {
    // Where values can only be read asynchronously, a negative rate gives NaN.
    let negative = input.clone().detach().lower_elem(0.0).any();
    let found = negative.try_into_data().is_ok_and(|data| data.iter::<bool>().any(|found| found));
    require(
        !found,
        "poisson_nll_loss",
        format_args!(
            "negative rate in the input; expected rates of at least 0, since `log_input` is false. Give the logarithm \
             of the rate with `log_input`, or make the prediction positive, for instance with softplus"
        ),
    );
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

#[cfg(test)]
mod tests {
    use super::PoissonNllLossConfig;
    use crate::loss::Reduction;
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn poisson_nll_loss_refuses_a_negative_rate_and_takes_a_negative_logarithm() {
        let device = Default::default();
        let x = |value: f64| Tensor::<NdArray, 1>::from_data([1.0, value], &device);
        let loss = PoissonNllLossConfig::new().with_log_input(false).init();
        let error = loss.try_forward(x(-0.5), x(1.0), Reduction::Mean).unwrap_err().to_string();
        assert!(
            error.starts_with("poisson_nll_loss: negative rate in the input; expected rates of at least 0"),
            "{error}"
        );
        assert!(loss.try_forward(x(0.0), x(1.0), Reduction::Mean).is_ok());
        // exp(1) - 1 and exp(-0.5) + 0.5.
        let loss = PoissonNllLossConfig::new().init().forward(x(-0.5), x(1.0), Reduction::Sum);
        let expected = 1f64.exp() - 1.0 + (-0.5f64).exp() + 0.5;
        assert!((f64::from(loss.into_scalar()) - expected).abs() < 1e-5);
    }
}
