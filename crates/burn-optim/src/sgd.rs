use crate::formula::Formula;
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, MomentumConfig, OptimizerAdaptor, ParamState, UpdateRule,
    WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`Sgd`].
#[derive(Config, Debug)]
pub struct SgdConfig {
    /// L2 penalty: `penalty * x` is added to the gradient.
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// Momentum of the updates.
    #[config(default = "None")]
    pub momentum: Option<MomentumConfig>,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl SgdConfig {
    /// [`with_weight_decay`](Self::with_weight_decay).
    #[must_use]
    pub fn with_weight_decay_config(self, weight_decay: Option<WeightDecayConfig>) -> Self {
        self.with_weight_decay(weight_decay)
    }

    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Sgd>, ConfigError> {
        let check = FieldCheck::of("SgdConfig");
        let SgdConfig { weight_decay, momentum, maximize, grad_clipping } = *self;
        WeightDecayConfig::validate(weight_decay, check)?;
        MomentumConfig::validate(momentum, check)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Sgd { weight_decay, momentum, maximize }).with_grad_clipping(grad_clipping))
    }
}

/// Stochastic gradient descent: `x = x - lr g`. PyTorch: `torch.optim.SGD`.
///
/// With momentum, `v = momentum v + (1 - dampening) g`, where the first `v` is `g`, and `x = x - lr v`, or
/// with Nesterov momentum `x = x - lr (g + momentum v)`.
#[derive(Clone, Debug)]
pub struct Sgd {
    weight_decay: Option<WeightDecayConfig>,
    momentum: Option<MomentumConfig>,
    maximize: bool,
}

impl UpdateRule for Sgd {
    fn state_names() -> &'static [&'static str] {
        &["velocity"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let formula = Formula::like(&x);
        let Some(MomentumConfig { momentum, dampening, nesterov }) = self.momentum else {
            let x = formula.input(x);
            let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
            return (x - grad * lr).run();
        };
        state.count_step();
        let velocity = state.take("velocity", &x).map(|velocity| formula.input(velocity));
        let x = formula.input(x);
        let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
        let velocity = match velocity {
            Some(velocity) => velocity * momentum + grad * (1.0 - dampening),
            None => grad,
        };
        let direction = if nesterov { grad + velocity * momentum } else { velocity };
        let [x, velocity] = formula.run([x - direction * lr, velocity]);
        state.put("velocity", velocity);
        x
    }
}
