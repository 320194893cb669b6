use crate::formula::{Formula, FormulaValue};
use crate::moments;
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`Adamax`].
#[derive(Config, Debug)]
pub struct AdamaxConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the running maximum of gradients, in `[0, 1)`.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Added to the absolute gradient for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// L2 penalty: `penalty * x` is added to the gradient.
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl AdamaxConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Adamax>, ConfigError> {
        let AdamaxConfig { beta_1, beta_2, epsilon, weight_decay, maximize, grad_clipping } = *self;
        let check = FieldCheck::of("AdamaxConfig");
        moments::validate(check, beta_1, beta_2, epsilon)?;
        WeightDecayConfig::validate(weight_decay, check)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Adamax { beta_1, beta_2, epsilon, weight_decay, maximize })
            .with_grad_clipping(grad_clipping))
    }
}

/// Adamax: [`Adam`](crate::Adam) with the infinity norm (Kingma and Ba 2014, section 7.1). PyTorch:
/// `torch.optim.Adamax`.
///
/// With the gradient `g` of step `t`, from 1:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `u = max(beta_2 u, |g| + epsilon)`
/// - `x = x - lr / (1 - beta_1^t) m / u`
#[derive(Clone, Debug)]
pub struct Adamax {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    weight_decay: Option<WeightDecayConfig>,
    maximize: bool,
}

impl UpdateRule for Adamax {
    fn state_names() -> &'static [&'static str] {
        &["moment_1", "infinity_norm"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, norm) = (kept("moment_1"), kept("infinity_norm"));
        let x = formula.input(x);
        let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
        let mean = FormulaValue::moving_mean(mean, grad, self.beta_1);
        let size = grad.abs() + self.epsilon;
        let norm = match norm {
            Some(norm) => (norm * self.beta_2).max(size),
            None => size,
        };
        let x = x - mean / norm * (lr / (1.0 - libm::pow(self.beta_1, t)));
        let [x, mean, norm] = formula.run([x, mean, norm]);
        state.put("moment_1", mean);
        state.put("infinity_norm", norm);
        x
    }
}
