use crate::formula::{Formula, FormulaValue};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`RmsProp`].
#[derive(Config, Debug)]
pub struct RmsPropConfig {
    /// Decay rate of the moving average of squared gradients, in `[0, 1)`.
    #[config(default = 0.99)]
    pub alpha: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// Momentum of the updates; 0 for none.
    #[config(default = 0.0)]
    pub momentum: f64,
    /// Whether to divide by the standard deviation of the gradients instead of their root mean square.
    #[config(default = false)]
    pub centered: bool,
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
impl RmsPropConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<RmsProp>, ConfigError> {
        let RmsPropConfig { alpha, epsilon, momentum, centered, weight_decay, maximize, grad_clipping } =
            *self;
        let check = FieldCheck::of("RmsPropConfig");
        check.decay_rate("alpha", alpha)?;
        check.not_negative("epsilon", epsilon)?;
        check.not_negative("momentum", momentum)?;
        WeightDecayConfig::validate(weight_decay, check)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(RmsProp { alpha, epsilon, momentum, centered, weight_decay, maximize })
            .with_grad_clipping(grad_clipping))
    }
}

/// RMSprop: divides by a running root mean square of the gradient (Hinton 2012). PyTorch:
/// `torch.optim.RMSprop`.
///
/// - `v = alpha v + (1 - alpha) g^2`, and centered `m = alpha m + (1 - alpha) g`
/// - `d = g / (sqrt(v) + epsilon)`, centered `g / (sqrt(v - m^2) + epsilon)`
/// - `x = x - lr d`, or with momentum `b = momentum b + d` and `x = x - lr b`
#[derive(Clone, Debug)]
pub struct RmsProp {
    alpha: f64,
    epsilon: f64,
    momentum: f64,
    centered: bool,
    weight_decay: Option<WeightDecayConfig>,
    maximize: bool,
}

impl UpdateRule for RmsProp {
    fn state_names() -> &'static [&'static str] {
        &["square", "mean", "velocity"]
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
        let (square, mean, velocity) = (kept("square"), kept("mean"), kept("velocity"));
        let x = formula.input(x);
        let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
        let mean_of_squares = FormulaValue::moving_mean(square, grad.square(), self.alpha);
        let mean = self.centered.then(|| FormulaValue::moving_mean(mean, grad, self.alpha));
        let spread = match mean {
            Some(mean) => mean_of_squares - mean.square(),
            None => mean_of_squares,
        };
        let direction = grad / (spread.sqrt() + self.epsilon);
        let velocity = match velocity {
            Some(velocity) if self.momentum != 0.0 => velocity * self.momentum + direction,
            Some(_) | None => direction,
        };
        // State that this configuration does not keep is requested as the new parameter, which adds no
        // output.
        let x = x - velocity * lr;
        let values = [x, mean_of_squares, mean.unwrap_or(x), if self.momentum == 0.0 { x } else { velocity }];
        let [x, mean_of_squares, new_mean, velocity] = formula.run(values);
        state.put("square", mean_of_squares);
        if mean.is_some() {
            state.put("mean", new_mean);
        }
        if self.momentum != 0.0 {
            state.put("velocity", velocity);
        }
        x
    }
}
