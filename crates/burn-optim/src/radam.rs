use crate::formula::{Formula, FormulaValue};
use crate::moments;
use crate::weight_decay::Decay;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use libm::{pow, sqrt};

/// Options of [`RAdam`].
#[derive(Config, Debug)]
pub struct RAdamConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the moving average of squared gradients, in `[0, 1)`.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// Weight decay: an L2 penalty, or decoupled with `decoupled_weight_decay`.
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// Whether `lr * penalty * x` is subtracted from the parameter, as in [`AdamW`](crate::AdamW), instead of
    /// adding `penalty * x` to the gradient.
    #[config(default = false)]
    pub decoupled_weight_decay: bool,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl RAdamConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<RAdam>, ConfigError> {
        let RAdamConfig { beta_1, beta_2, epsilon, maximize, .. } = *self;
        let check = FieldCheck::of("RAdamConfig");
        moments::validate(check, beta_1, beta_2, epsilon)?;
        WeightDecayConfig::validate(self.weight_decay, check)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        let decay = Decay { penalty: self.weight_decay, decoupled: self.decoupled_weight_decay };
        Ok(OptimizerAdaptor::new(RAdam { beta_1, beta_2, epsilon, decay, maximize })
            .with_grad_clipping(self.grad_clipping))
    }
}

/// RAdam: [`Adam`](crate::Adam) with a rectified variance of the adaptive learning rate (Liu et al. 2019), so
/// that it needs no warm-up. PyTorch: `torch.optim.RAdam`.
///
/// With the gradient `g` of step `t`, from 1:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `v = beta_2 v + (1 - beta_2) g^2`
/// - `rho = 2 / (1 - beta_2) - 1`, `rho_t = rho - 2 t beta_2^t / (1 - beta_2^t)`
/// - if `rho_t > 5`, `r = sqrt((rho_t - 4) (rho_t - 2) rho / ((rho - 4) (rho - 2) rho_t))` and
///   `x = x - lr r sqrt(1 - beta_2^t) / (1 - beta_1^t) m / (sqrt(v) + epsilon)`
/// - else `x = x - lr m / (1 - beta_1^t)`
#[derive(Clone, Debug)]
pub struct RAdam {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    decay: Decay,
    maximize: bool,
}

impl RAdam {
    /// Returns the rectification of step `t`, if the variance is tractable by then.
    fn rectification(&self, t: f64) -> Option<f64> {
        let decayed = pow(self.beta_2, t);
        let longest = 2.0 / (1.0 - self.beta_2) - 1.0;
        let length = longest - 2.0 * t * decayed / (1.0 - decayed);
        let of = |length: f64| (length - 4.0) * (length - 2.0) / length;
        (length > 5.0).then(|| sqrt(of(length) / of(longest)))
    }
}

impl UpdateRule for RAdam {
    fn state_names() -> &'static [&'static str] {
        &["moment_1", "moment_2"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let (correction_1, correction_2) = (1.0 - pow(self.beta_1, t), 1.0 - pow(self.beta_2, t));
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, mean_of_squares) = (kept("moment_1"), kept("moment_2"));
        let (x, grad) = (formula.input(x), formula.input(grad).negated_if(self.maximize));
        let (x, grad) = self.decay.apply(x, grad, lr);
        let mean = FormulaValue::moving_mean(mean, grad, self.beta_1);
        let mean_of_squares = FormulaValue::moving_mean(mean_of_squares, grad.square(), self.beta_2);
        let lr = lr / correction_1;
        let x = match self.rectification(t) {
            Some(rectification) => {
                let spread = mean_of_squares.sqrt() + self.epsilon;
                x - mean / spread * (lr * rectification * sqrt(correction_2))
            }
            None => x - mean * lr,
        };
        let [x, mean, mean_of_squares] = formula.run([x, mean, mean_of_squares]);
        state.put("moment_1", mean);
        state.put("moment_2", mean_of_squares);
        x
    }
}
