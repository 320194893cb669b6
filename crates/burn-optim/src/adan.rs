use crate::formula::{Formula, FormulaValue};
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use libm::{pow, sqrt};

/// Options of [`Adan`].
#[derive(Config, Debug)]
pub struct AdanConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.98)]
    pub beta_1: f64,
    /// Decay rate of the moving average of gradient differences, in `[0, 1)`.
    #[config(default = 0.92)]
    pub beta_2: f64,
    /// Decay rate of the moving average of squared look-ahead gradients, in `[0, 1)`.
    #[config(default = 0.99)]
    pub beta_3: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// Weight decay by a proximal step: the parameter is divided by `1 + lr * weight_decay`.
    #[config(default = 0.0)]
    pub weight_decay: f64,
    /// Whether the parameter is multiplied by `1 - lr * weight_decay` before the update instead, as in
    /// [`AdamW`](crate::AdamW).
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
impl AdanConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Adan>, ConfigError> {
        let check = FieldCheck::of("AdanConfig");
        check.decay_rate("beta_1", self.beta_1)?;
        check.decay_rate("beta_2", self.beta_2)?;
        check.decay_rate("beta_3", self.beta_3)?;
        check.not_negative("epsilon", self.epsilon)?;
        check.not_negative("weight_decay", self.weight_decay)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        let rule = Adan {
            betas: (self.beta_1, self.beta_2, self.beta_3),
            epsilon: self.epsilon,
            weight_decay: self.weight_decay,
            decoupled: self.decoupled_weight_decay,
            maximize: self.maximize,
        };
        Ok(OptimizerAdaptor::new(rule).with_grad_clipping(self.grad_clipping))
    }
}

/// Adan: adaptive Nesterov momentum (Xie et al. 2022, algorithm 1, with bias correction). PyTorch has no
/// counterpart.
///
/// The decay rates are those of the averages, 1 minus those of the paper. With the gradient `g` of step `t`,
/// from 1, and its difference `d` to the gradient before, 0 in the first step:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `v = beta_2 v + (1 - beta_2) d`
/// - `n = beta_3 n + (1 - beta_3) (g + beta_2 d)^2`
/// - `u = (m / (1 - beta_1^t) + beta_2 v / (1 - beta_2^t)) / (sqrt(n / (1 - beta_3^t)) + epsilon)`
/// - `x = (x - lr u) / (1 + lr weight_decay)`
#[derive(Clone, Debug)]
pub struct Adan {
    betas: (f64, f64, f64),
    epsilon: f64,
    weight_decay: f64,
    decoupled: bool,
    maximize: bool,
}

impl UpdateRule for Adan {
    fn state_names() -> &'static [&'static str] {
        &["moment_1", "difference", "moment_2", "previous_gradient"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let (beta_1, beta_2, beta_3) = self.betas;
        let correction = |beta: f64| 1.0 - pow(beta, t);
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, difference) = (kept("moment_1"), kept("difference"));
        let (mean_of_squares, previous) = (kept("moment_2"), kept("previous_gradient"));
        let x = formula.input(x);
        let grad = formula.input(grad).negated_if(self.maximize);
        let change = grad - previous.unwrap_or(grad);
        let mean = FormulaValue::moving_mean(mean, grad, beta_1);
        let difference = FormulaValue::moving_mean(difference, change, beta_2);
        let ahead = grad + change * beta_2;
        let mean_of_squares = FormulaValue::moving_mean(mean_of_squares, ahead.square(), beta_3);
        let spread = mean_of_squares.sqrt() * (1.0 / sqrt(correction(beta_3))) + self.epsilon;
        let direction = mean * (1.0 / correction(beta_1)) + difference * (beta_2 / correction(beta_2));
        let update = direction / spread * lr;
        let decay = lr * self.weight_decay;
        let x =
            if self.decoupled { x * (1.0 - decay) - update } else { (x - update) * (1.0 / (1.0 + decay)) };
        let values = [x, mean, difference, mean_of_squares, grad];
        let [x, mean, difference, mean_of_squares, grad] = formula.run(values);
        state.put("moment_1", mean);
        state.put("difference", difference);
        state.put("moment_2", mean_of_squares);
        state.put("previous_gradient", grad);
        x
    }
}
