use crate::moments::Moments;
use crate::param_update::{ParamUpdate, UpdatedParam};
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`AdamW`].
#[derive(Config, Debug)]
pub struct AdamWConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the moving average of squared gradients, in `[0, 1)`.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// Decoupled weight decay: `learning rate * weight_decay * x` is subtracted from the parameter.
    #[config(default = 0.01)]
    pub weight_decay: f64,
    /// Whether to divide by the largest second moment so far (AMSGrad, Reddi et al. 2018).
    #[config(default = false)]
    pub amsgrad: bool,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl AdamWConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<AdamW>, ConfigError> {
        let check = FieldCheck::of("AdamWConfig");
        let AdamWConfig { beta_1, beta_2, epsilon, weight_decay, amsgrad, maximize, grad_clipping } = *self;
        let moments = Moments { beta_1, beta_2, epsilon, amsgrad, maximize };
        moments.validate(check)?;
        check.not_negative("weight_decay", weight_decay)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(AdamW { moments, weight_decay }).with_grad_clipping(grad_clipping))
    }
}

/// [`Adam`](crate::Adam) with decoupled weight decay (Loshchilov and Hutter 2017):
/// `x = x - lr weight_decay x` before each step. PyTorch: `torch.optim.AdamW`.
#[derive(Clone, Debug)]
pub struct AdamW {
    moments: Moments,
    weight_decay: f64,
}

impl UpdateRule for AdamW {
    fn state_names() -> &'static [&'static str] {
        Moments::NAMES
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        self.update_in_one_pass(ParamUpdate::plain(x, grad, lr), state).x
    }

    fn update_in_one_pass(&self, step: ParamUpdate, state: &mut ParamState) -> UpdatedParam {
        let keep = 1.0 - step.lr * self.weight_decay;
        self.moments.update(step, state, |x, grad| (x * keep, grad))
    }
}
