use crate::formula::Formula;
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`Adagrad`].
#[derive(Config, Debug)]
pub struct AdagradConfig {
    /// Learning-rate decay: step `t`, from 1, has the learning rate `lr / (1 + (t - 1) lr_decay)`; at least 0.
    #[config(default = 0.0)]
    pub lr_decay: f64,
    /// Initial value of the sum of squared gradients; at least 0.
    #[config(default = 0.0)]
    pub initial_accumulator_value: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-10)]
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
impl AdagradConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Adagrad>, ConfigError> {
        let check = FieldCheck::of("AdagradConfig");
        check.not_negative("lr_decay", self.lr_decay)?;
        check.not_negative("initial_accumulator_value", self.initial_accumulator_value)?;
        check.not_negative("epsilon", self.epsilon)?;
        WeightDecayConfig::validate(self.weight_decay, check)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Adagrad {
            lr_decay: self.lr_decay,
            initial: self.initial_accumulator_value,
            epsilon: self.epsilon,
            weight_decay: self.weight_decay,
            maximize: self.maximize,
        })
        .with_grad_clipping(self.grad_clipping))
    }
}

/// Adagrad: divides by the root of the sum of all squared gradients (Duchi et al. 2011). PyTorch:
/// `torch.optim.Adagrad`.
///
/// With the gradient `g` of step `t`, from 1: `s = s + g^2` and
/// `x = x - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + epsilon)`.
#[derive(Clone, Debug)]
pub struct Adagrad {
    lr_decay: f64,
    initial: f64,
    epsilon: f64,
    weight_decay: Option<WeightDecayConfig>,
    maximize: bool,
}

impl UpdateRule for Adagrad {
    fn state_names() -> &'static [&'static str] {
        &["sum_of_squares"]
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
        let sum = state.take("sum_of_squares", &x).map(|sum| formula.input(sum));
        let x = formula.input(x);
        let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
        let sum = match sum {
            Some(sum) => sum + grad.square(),
            None => grad.square() + self.initial,
        };
        let lr = lr / (1.0 + (t - 1.0) * self.lr_decay);
        let x = x - grad / (sum.sqrt() + self.epsilon) * lr;
        let [x, sum] = formula.run([x, sum]);
        state.put("sum_of_squares", sum);
        x
    }
}
