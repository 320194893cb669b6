use crate::formula::{Formula, Value};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use libm::{pow, sqrt as sqrt_of};

/// Options of [`Adam`].
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{AdamConfig, GradientClippingConfig, GradientsParams, Optimizer};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let model: Linear<Autodiff<NdArray>> = LinearConfig::new(2, 1).init(&device);
/// let before = model.weight.val().into_data();
///
/// let config = AdamConfig::new().with_grad_clipping(Some(GradientClippingConfig::Norm(1.0)));
/// let mut optimizer = config.init();
/// let loss = model.forward(Tensor::<_, 2>::ones([4, 2], &device)).mean();
/// let grads = GradientsParams::from_grads(loss.backward(), &model);
/// let model = optimizer.step(1e-3, model, grads);
/// assert_ne!(model.weight.val().into_data(), before);
///
/// assert!(AdamConfig::new().with_beta_1(1.0).try_init().is_err());
/// ```
#[derive(Config, Debug)]
pub struct AdamConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the moving average of squared gradients, in `[0, 1)`.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Added to the denominator for numerical stability.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// L2 penalty: `penalty * x` is added to the gradient. For decoupled weight decay see
    /// [`AdamW`](crate::AdamW).
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl AdamConfig {
    /// [`with_weight_decay`](Self::with_weight_decay).
    #[must_use]
    pub fn with_weight_decay_config(self, weight_decay: Option<WeightDecayConfig>) -> Self {
        self.with_weight_decay(weight_decay)
    }

    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Adam>, ConfigError> {
        let check = FieldCheck::of("AdamConfig");
        let moments = Moments::checked(check, self.beta_1, self.beta_2, self.epsilon)?;
        WeightDecayConfig::validate(self.weight_decay, check)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Adam { moments, weight_decay: self.weight_decay })
            .with_grad_clipping(self.grad_clipping))
    }
}

/// Adam (Kingma and Ba 2014). PyTorch: `torch.optim.Adam`.
///
/// With the gradient `g` of step `t`, from 1:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `v = beta_2 v + (1 - beta_2) g^2`
/// - `x = x - lr (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon)`
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{AdamConfig, GradientsParams, Optimizer};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let model: Linear<Autodiff<NdArray>> = LinearConfig::new(2, 1).init(&device);
/// let mut adam = AdamConfig::new().with_beta_1(0.9).with_epsilon(1e-8).init();
/// let loss = model.forward(Tensor::<_, 2>::ones([4, 2], &device)).mean();
/// let grads = GradientsParams::from_grads(loss.backward(), &model);
/// let model = adam.step(1e-3, model, grads);
/// # let _ = model;
/// ```
#[derive(Clone, Debug)]
pub struct Adam {
    moments: Moments,
    weight_decay: Option<WeightDecayConfig>,
}

impl UpdateRule for Adam {
    fn state_names() -> &'static [&'static str] {
        Moments::NAMES
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let decay = self.weight_decay;
        self.moments.update(x, grad, lr, state, |x, grad| (x, decayed(grad, x, decay)))
    }
}

/// Running moments of the gradients, shared by [`Adam`] and [`AdamW`](crate::AdamW).
#[derive(Clone, Debug)]
pub struct Moments {
    pub beta_1: f64,
    pub beta_2: f64,
    pub epsilon: f64,
}

impl Moments {
    pub const NAMES: &[&str] = &["moment_1", "moment_2"];

    /// Returns the moments of a config whose checks are `check`.
    pub fn checked(check: FieldCheck, beta_1: f64, beta_2: f64, epsilon: f64) -> Result<Self, ConfigError> {
        check.decay_rate("beta_1", beta_1)?;
        check.decay_rate("beta_2", beta_2)?;
        check.not_negative("epsilon", epsilon)?;
        Ok(Moments { beta_1, beta_2, epsilon })
    }

    /// Performs one step. `decay` changes parameter and gradient first.
    pub fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
        decay: impl for<'f> Fn(Value<'f>, Value<'f>) -> (Value<'f>, Value<'f>),
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let (correction_1, correction_2) = (1.0 - pow(self.beta_1, t), 1.0 - pow(self.beta_2, t));
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, mean_of_squares) = (kept("moment_1"), kept("moment_2"));
        let (x, grad) = decay(formula.input(x), formula.input(grad));
        let mean = Value::moving_mean(mean, grad, self.beta_1);
        let mean_of_squares = Value::moving_mean(mean_of_squares, grad.square(), self.beta_2);
        let spread = mean_of_squares.sqrt() * (1.0 / sqrt_of(correction_2)) + self.epsilon;
        let x = x - mean / spread * (lr / correction_1);
        let [x, mean, mean_of_squares] = formula.run([x, mean, mean_of_squares]);
        state.put("moment_1", mean);
        state.put("moment_2", mean_of_squares);
        x
    }
}
