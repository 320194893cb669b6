use crate::formula::Formula;
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`Lion`].
#[derive(Config, Debug)]
pub struct LionConfig {
    /// Share of the momentum in the direction of the update, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the momentum, in `[0, 1)`.
    #[config(default = 0.99)]
    pub beta_2: f64,
    /// Decoupled weight decay: `learning rate * weight_decay * x` is subtracted from the parameter.
    #[config(default = 0.0)]
    pub weight_decay: f64,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl LionConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Lion>, ConfigError> {
        let LionConfig { beta_1, beta_2, weight_decay, maximize, grad_clipping } = *self;
        let check = FieldCheck::of("LionConfig");
        check.decay_rate("beta_1", beta_1)?;
        check.decay_rate("beta_2", beta_2)?;
        check.not_negative("weight_decay", weight_decay)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Lion { beta_1, beta_2, weight_decay, maximize })
            .with_grad_clipping(grad_clipping))
    }
}

/// Lion: the sign of an interpolation between momentum and gradient (Chen et al. 2023). PyTorch has no
/// counterpart.
///
/// Every element moves by the learning rate, so it is a third to a tenth of that of [`AdamW`](crate::AdamW), and
/// the weight decay three to ten times as large. With the gradient `g`:
///
/// - `x = x - lr (sign(beta_1 m + (1 - beta_1) g) + weight_decay x)`
/// - `m = beta_2 m + (1 - beta_2) g`, from 0
#[derive(Clone, Debug)]
pub struct Lion {
    beta_1: f64,
    beta_2: f64,
    weight_decay: f64,
    maximize: bool,
}

impl UpdateRule for Lion {
    fn state_names() -> &'static [&'static str] {
        &["momentum"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        state.count_step();
        let formula = Formula::like(&x);
        let momentum = state.take("momentum", &x).map(|momentum| formula.input(momentum));
        let x = formula.input(x);
        let grad = formula.input(grad).negated_if(self.maximize);
        let (direction, momentum) = match momentum {
            Some(momentum) => (
                momentum * self.beta_1 + grad * (1.0 - self.beta_1),
                momentum * self.beta_2 + grad * (1.0 - self.beta_2),
            ),
            None => (grad, grad * (1.0 - self.beta_2)),
        };
        let x = x * (1.0 - lr * self.weight_decay) - direction.sign() * lr;
        let [x, momentum] = formula.run([x, momentum]);
        state.put("momentum", momentum);
        x
    }
}
