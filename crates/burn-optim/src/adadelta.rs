use crate::formula::{Formula, FormulaValue};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`Adadelta`].
#[derive(Config, Debug)]
pub struct AdadeltaConfig {
    /// Decay rate of the moving averages of squared gradients and squared updates, in `[0, 1)`.
    #[config(default = 0.9)]
    pub rho: f64,
    /// Added to both averages for numerical stability.
    #[config(default = 1e-6)]
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
impl AdadeltaConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Adadelta>, ConfigError> {
        let AdadeltaConfig { rho, epsilon, weight_decay, maximize, grad_clipping } = *self;
        let check = FieldCheck::of("AdadeltaConfig");
        check.decay_rate("rho", rho)?;
        // The first update is the root of epsilon times the normalized gradient: without one it stays 0.
        check.positive("epsilon", epsilon)?;
        WeightDecayConfig::validate(weight_decay, check)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Adadelta { rho, epsilon, weight_decay, maximize })
            .with_grad_clipping(grad_clipping))
    }
}

/// Adadelta: scales by the ratio of the root mean squares of updates and gradients, so that updates have the
/// unit of the parameter (Zeiler 2012). PyTorch: `torch.optim.Adadelta`.
///
/// The learning rate of the paper is 1. With the gradient `g`:
///
/// - `v = rho v + (1 - rho) g^2`, `d = sqrt(u + epsilon) / sqrt(v + epsilon) g`
/// - `u = rho u + (1 - rho) d^2`, `x = x - lr d`
#[derive(Clone, Debug)]
pub struct Adadelta {
    rho: f64,
    epsilon: f64,
    weight_decay: Option<WeightDecayConfig>,
    maximize: bool,
}

impl UpdateRule for Adadelta {
    fn state_names() -> &'static [&'static str] {
        &["square_gradient", "square_update"]
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
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (of_gradient, of_update) = (kept("square_gradient"), kept("square_update"));
        let x = formula.input(x);
        let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
        let of_gradient = FormulaValue::moving_mean(of_gradient, grad.square(), self.rho);
        let spread = (of_gradient + self.epsilon).sqrt();
        let update = match of_update {
            Some(of_update) => (of_update + self.epsilon).sqrt() / spread * grad,
            None => grad / spread * libm::sqrt(self.epsilon),
        };
        let of_update = FormulaValue::moving_mean(of_update, update.square(), self.rho);
        let [x, of_gradient, of_update] = formula.run([x - update * lr, of_gradient, of_update]);
        state.put("square_gradient", of_gradient);
        state.put("square_update", of_update);
        x
    }
}
