use crate::moments::Moments;
use crate::param_update::{ParamUpdate, UpdatedParam};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

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
    /// Whether to divide by the largest second moment so far (AMSGrad, Reddi et al. 2018).
    #[config(default = false)]
    pub amsgrad: bool,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
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
        let AdamConfig { beta_1, beta_2, epsilon, amsgrad, maximize, weight_decay, grad_clipping } = *self;
        let moments = Moments { beta_1, beta_2, epsilon, amsgrad, maximize };
        moments.validate(check)?;
        WeightDecayConfig::validate(weight_decay, check)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Adam { moments, weight_decay }).with_grad_clipping(grad_clipping))
    }
}

/// Adam (Kingma and Ba 2014). PyTorch: `torch.optim.Adam`.
///
/// With the gradient `g` of step `t`, from 1:
///
/// - `m = beta_1 m + (1 - beta_1) g`, `v = beta_2 v + (1 - beta_2) g^2`
/// - `x = x - lr (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon)`, with AMSGrad the largest `v`
///   of all steps in place of `v`
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
        self.update_in_one_pass(ParamUpdate::plain(x, grad, lr), state).x
    }

    fn update_in_one_pass(&self, step: ParamUpdate, state: &mut ParamState) -> UpdatedParam {
        let decay = self.weight_decay;
        self.moments.update(step, state, |x, grad| (x, decayed(grad, x, decay)))
    }
}
