use crate::arithmetic::{cast, norm};
use crate::formula::{Formula, FormulaValue};
use crate::moments;
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{BinaryOp, CompareOp, HasSpec, Scalar, TypedCalls};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use libm::{pow, sqrt};

/// Options of [`Lamb`].
#[derive(Config, Debug)]
pub struct LambConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the moving average of squared gradients, in `[0, 1)`.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-6)]
    pub epsilon: f64,
    /// Weight decay: `weight_decay * x` is a part of the update, before the trust ratio.
    #[config(default = 0.01)]
    pub weight_decay: f64,
    /// Largest trust ratio; no bound if `None`.
    #[config(default = "None")]
    pub max_trust_ratio: Option<f64>,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl LambConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Lamb>, ConfigError> {
        let LambConfig { beta_1, beta_2, epsilon, weight_decay, max_trust_ratio, maximize, .. } = *self;
        let check = FieldCheck::of("LambConfig");
        moments::validate(check, beta_1, beta_2, epsilon)?;
        check.not_negative("weight_decay", weight_decay)?;
        if let Some(max) = max_trust_ratio {
            check.positive("max_trust_ratio", max)?;
        }
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        let rule = Lamb { beta_1, beta_2, epsilon, weight_decay, max_trust_ratio, maximize };
        Ok(OptimizerAdaptor::new(rule).with_grad_clipping(self.grad_clipping))
    }
}

/// Lamb: [`Adam`](crate::Adam) with a learning rate per tensor, for very large batches (You et al. 2019).
/// PyTorch has no counterpart.
///
/// With the gradient `g` of step `t`, from 1:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `v = beta_2 v + (1 - beta_2) g^2`
/// - `u = (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon) + weight_decay x`
/// - `x = x - lr r u` with the trust ratio `r = |x| / |u|` of the 2-norms over all elements of the tensor,
///   which is 1 where one of them is 0
#[derive(Clone, Debug)]
pub struct Lamb {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    weight_decay: f64,
    max_trust_ratio: Option<f64>,
    maximize: bool,
}

impl Lamb {
    /// Computes the trust ratio, every dimension of size 1, without reading it.
    fn trust_ratio(&self, x: &DynamicTensor, update: &DynamicTensor) -> DynamicTensor {
        let (of_x, of_update) = (norm(x.clone()), norm(update.clone()));
        let product = Dynamic::binary(BinaryOp::Mul, of_x.clone(), of_update.clone());
        let no_direction = Dynamic::compare_scalar(CompareOp::Equal, product, Scalar::Float(0.0));
        let ratio = Dynamic::binary(BinaryOp::Div, of_x, of_update);
        let ratio = Dynamic::mask_fill(ratio, no_direction, Scalar::Float(1.0));
        let ratio = match self.max_trust_ratio {
            Some(max) => Dynamic::clamp(ratio, None, Some(Scalar::Float(max))),
            None => ratio,
        };
        cast(ratio, x.dtype())
    }
}

impl UpdateRule for Lamb {
    fn state_names() -> &'static [&'static str] {
        &["moment_1", "moment_2"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let (correction_1, correction_2) = (1.0 - pow(self.beta_1, t), 1.0 - pow(self.beta_2, t));
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, mean_of_squares) = (kept("moment_1"), kept("moment_2"));
        let grad = formula.input(grad).negated_if(self.maximize);
        let mean = FormulaValue::moving_mean(mean, grad, self.beta_1);
        let mean_of_squares = FormulaValue::moving_mean(mean_of_squares, grad.square(), self.beta_2);
        let spread = mean_of_squares.sqrt() * (1.0 / sqrt(correction_2)) + self.epsilon;
        let adam = mean / spread * (1.0 / correction_1);
        let update = adam + formula.input(x.clone()) * self.weight_decay;
        let [update, mean, mean_of_squares] = formula.run([update, mean, mean_of_squares]);
        state.put("moment_1", mean);
        state.put("moment_2", mean_of_squares);

        let ratio = self.trust_ratio(&x, &update);
        let formula = Formula::like(&x);
        let (x, update, ratio) = (formula.input(x), formula.input(update), formula.broadcast_input(ratio));
        (x - update * ratio * lr).run()
    }
}
