use super::Reduction;
use super::targets::as_floats;
use crate::display::one_line;
use crate::input::check_same_shape;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor, activation};
use burn_derive::fallible;

/// Options of [`FocalLoss`].
#[derive(Config, Debug)]
pub struct FocalLossConfig {
    /// Weight of the positive class, in `[0, 1]`; the negative one has `1 - alpha`. `None` weights neither.
    #[config(default = "Some(0.25)")]
    pub alpha: Option<f64>,
    /// Focusing parameter: the larger, the less well-classified examples count; at least 0.
    #[config(default = 2.0)]
    pub gamma: f64,
}

#[fallible(config)]
impl FocalLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<FocalLoss, ConfigError> {
        let check = FieldCheck::of("FocalLossConfig");
        check.probability("alpha", self.alpha.unwrap_or(0.0))?;
        check.not_negative("gamma", self.gamma)?;
        Ok(FocalLoss { alpha: self.alpha, gamma: self.gamma })
    }
}

/// Focal loss of logits: `-alpha_t (1 - p_t)^gamma log(p_t)`, where `p_t` is the probability of the target,
/// which the sigmoid gives, and `alpha_t` is `alpha` for the target 1 and `1 - alpha` for 0 (Lin et al.
/// 2017). With `gamma = 0` and no `alpha` it is the binary cross-entropy of logits. PyTorch:
/// `torchvision.ops.sigmoid_focal_loss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{FocalLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let logits = Tensor::<NdArray, 1>::from_data([0.0], &device);
/// let targets = Tensor::<NdArray, 1, Int>::from_data([1], &device);
/// let loss = FocalLossConfig::new().init().forward(logits, targets, Reduction::Sum);
/// assert!((loss.into_scalar() - 0.25 * 0.25 * 2_f32.ln()).abs() < 1e-6);
/// ```
#[doc(alias = "sigmoid_focal_loss")]
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct FocalLoss {
    /// Weight of the positive class.
    pub alpha: Option<f64>,
    /// Focusing parameter.
    pub gamma: f64,
}

#[fallible(layer = "focal_loss")]
impl FocalLoss {
    /// Computes the reduced loss, shape `[1]`, of logits and targets, 0 or 1, of the same shape.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        logits: Tensor<B, D>,
        targets: Tensor<B, D, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        reduction.reduce(self.forward_no_reduction(logits, targets))
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        logits: Tensor<B, D>,
        targets: Tensor<B, D, Int>,
    ) -> Tensor<B, D> {
        check_same_shape("focal_loss", &logits.dims(), &targets.dims());
        let targets = as_floats(targets, &logits);
        // p_t = sigmoid(x_t) and 1 - p_t = sigmoid(-x_t); the power is taken of logarithms, so that its
        // gradient is finite where the probability is 0 to the precision of the element type.
        let signed = (targets.clone() * 2.0 - 1.0) * logits;
        let focus = (activation::log_sigmoid(-signed.clone()) * self.gamma).exp();
        let losses = -focus * activation::log_sigmoid(signed);
        match self.alpha {
            Some(alpha) => losses * (targets * (2.0 * alpha - 1.0) + (1.0 - alpha)),
            None => losses,
        }
    }
}

impl ModuleDisplay for FocalLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
