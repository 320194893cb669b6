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

/// Options of [`NAdam`].
#[derive(Config, Debug)]
pub struct NAdamConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the moving average of squared gradients, in `[0, 1)`.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// Momentum decay: how fast the momentum grows from half of `beta_1` to `beta_1`; at least 0.
    #[config(default = 0.004)]
    pub momentum_decay: f64,
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
impl NAdamConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<NAdam>, ConfigError> {
        let NAdamConfig { beta_1, beta_2, epsilon, momentum_decay, maximize, .. } = *self;
        let check = FieldCheck::of("NAdamConfig");
        moments::validate(check, beta_1, beta_2, epsilon)?;
        check.not_negative("momentum_decay", momentum_decay)?;
        WeightDecayConfig::validate(self.weight_decay, check)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        let decay = Decay { penalty: self.weight_decay, decoupled: self.decoupled_weight_decay };
        Ok(OptimizerAdaptor::new(NAdam { beta_1, beta_2, epsilon, momentum_decay, decay, maximize })
            .with_grad_clipping(self.grad_clipping))
    }
}

/// NAdam: [`Adam`](crate::Adam) with Nesterov momentum (Dozat 2016). PyTorch: `torch.optim.NAdam`.
///
/// With the gradient `g` of step `t`, from 1, and `mu_t = beta_1 (1 - 0.96^(t momentum_decay) / 2)`:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `v = beta_2 v + (1 - beta_2) g^2`
/// - `p_t = mu_1 .. mu_t`, `n = mu_(t+1) m / (1 - p_(t+1)) + (1 - mu_t) g / (1 - p_t)`
/// - `x = x - lr n / (sqrt(v / (1 - beta_2^t)) + epsilon)`
#[derive(Clone, Debug)]
pub struct NAdam {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    momentum_decay: f64,
    decay: Decay,
    maximize: bool,
}

impl NAdam {
    /// Returns the momentum of step `t`.
    fn momentum(&self, t: f64) -> f64 {
        self.beta_1 * (1.0 - 0.5 * pow(0.96, t * self.momentum_decay))
    }
}

impl UpdateRule for NAdam {
    fn state_names() -> &'static [&'static str] {
        &["moment_1", "moment_2"]
    }

    fn scalar_names() -> &'static [&'static str] {
        &["momentum_product"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let (momentum, next) = (self.momentum(t), self.momentum(t + 1.0));
        let product = state.scalar("momentum_product").unwrap_or(1.0) * momentum;
        state.set_scalar("momentum_product", product);
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, mean_of_squares) = (kept("moment_1"), kept("moment_2"));
        let (x, grad) = (formula.input(x), formula.input(grad).negated_if(self.maximize));
        let (x, grad) = self.decay.apply(x, grad, lr);
        let mean = FormulaValue::moving_mean(mean, grad, self.beta_1);
        let mean_of_squares = FormulaValue::moving_mean(mean_of_squares, grad.square(), self.beta_2);
        let correction = 1.0 - pow(self.beta_2, t);
        let spread = mean_of_squares.sqrt() * (1.0 / sqrt(correction)) + self.epsilon;
        let direction = grad * ((1.0 - momentum) / (1.0 - product)) + mean * (next / (1.0 - product * next));
        let x = x - direction / spread * lr;
        let [x, mean, mean_of_squares] = formula.run([x, mean, mean_of_squares]);
        state.put("moment_1", mean);
        state.put("moment_2", mean_of_squares);
        x
    }
}
