use crate::adam::Moments;
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::Config;

/// Options of [`AdamW`].
#[derive(Config, Debug)]
pub struct AdamWConfig {
    /// The share of the mean of gradients that stays at each step.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// The share of the mean of squared gradients that stays at each step.
    #[config(default = 0.999)]
    pub beta_2: f64,
    /// Keeps the divisor from zero.
    #[config(default = 1e-8)]
    pub epsilon: f64,
    /// The share of the parameter, times the learning rate, that is lost at each step.
    #[config(default = 0.01)]
    pub weight_decay: f64,
    /// What makes gradients smaller first.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

impl AdamWConfig {
    /// An optimizer for any module on any backend.
    pub fn init(&self) -> OptimizerAdaptor<AdamW> {
        let moments = Moments { beta_1: self.beta_1, beta_2: self.beta_2, epsilon: self.epsilon };
        OptimizerAdaptor::new(AdamW { moments, weight_decay: self.weight_decay })
            .with_grad_clipping(self.grad_clipping)
    }
}

/// [`Adam`](crate::Adam) with a decay that is not part of the gradient (Loshchilov and Hutter 2017):
/// `x = x - lr weight_decay x` before each step. PyTorch: `torch.optim.AdamW`.
#[derive(Clone, Debug)]
pub struct AdamW {
    moments: Moments,
    weight_decay: f64,
}

impl UpdateRule for AdamW {
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
        let keep = 1.0 - lr * self.weight_decay;
        self.moments.update(x, grad, lr, state, |x, grad| (x * keep, grad))
    }
}
