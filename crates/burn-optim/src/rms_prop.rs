use crate::formula::{Formula, Value};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::Config;

/// Options of [`RmsProp`].
#[derive(Config, Debug)]
pub struct RmsPropConfig {
    /// The share of the mean of squared gradients that stays at each step.
    #[config(default = 0.99)]
    pub alpha: f64,
    /// Keeps the divisor from zero.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// The share of the sum of steps that stays; 0 is no momentum.
    #[config(default = 0.0)]
    pub momentum: f64,
    /// Whether to divide by the standard deviation of gradients rather than by their size.
    #[config(default = false)]
    pub centered: bool,
    /// A decay that is part of the gradient.
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// What makes gradients smaller first.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

impl RmsPropConfig {
    /// An optimizer for any module on any backend.
    pub fn init(&self) -> OptimizerAdaptor<RmsProp> {
        let RmsPropConfig { alpha, epsilon, momentum, centered, weight_decay, grad_clipping } = *self;
        OptimizerAdaptor::new(RmsProp { alpha, epsilon, momentum, centered, weight_decay })
            .with_grad_clipping(grad_clipping)
    }
}

/// Divides by a moving size of the gradient (Hinton 2012). PyTorch: `torch.optim.RMSprop`.
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
        let grad = decayed(formula.input(grad), x, self.weight_decay);
        let mean_of_squares = Value::moving_mean(square, grad.square(), self.alpha);
        let mean = self.centered.then(|| Value::moving_mean(mean, grad, self.alpha));
        let spread = match mean {
            Some(mean) => mean_of_squares - mean.square(),
            None => mean_of_squares,
        };
        let direction = grad / (spread.sqrt() + self.epsilon);
        let velocity = match velocity {
            Some(velocity) if self.momentum != 0.0 => velocity * self.momentum + direction,
            Some(_) | None => direction,
        };
        // What is not kept is asked for as the new parameter, and costs nothing.
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
