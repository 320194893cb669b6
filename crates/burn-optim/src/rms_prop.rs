use crate::arithmetic::{add, add_scalar, div, moving_mean, scale, sqrt, square, sub, sub_scaled};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
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

impl RmsProp {
    fn spread(&self, grad: &DynamicTensor, state: &mut ParamState) -> DynamicTensor {
        let mean_of_squares = moving_mean(state.take("square", grad), square(grad.clone()), self.alpha);
        let mut spread = mean_of_squares.clone();
        state.put("square", mean_of_squares);
        if self.centered {
            let mean = moving_mean(state.take("mean", grad), grad.clone(), self.alpha);
            spread = sub::<Dynamic>(spread, square(mean.clone()));
            state.put("mean", mean);
        }
        add_scalar(sqrt(spread), self.epsilon)
    }
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
        let grad = decayed(grad, &x, self.weight_decay);
        let spread = self.spread(&grad, state);
        let direction = div::<Dynamic>(grad, spread);
        if self.momentum == 0.0 {
            return sub_scaled(x, direction, lr);
        }
        let velocity = match state.take("velocity", &x) {
            Some(velocity) => add::<Dynamic>(scale(velocity, self.momentum), direction),
            None => direction,
        };
        state.put("velocity", velocity.clone());
        sub_scaled(x, velocity, lr)
    }
}
