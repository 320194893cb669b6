use crate::arithmetic::{add, add_scaled, scale, sub_scaled};
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, MomentumConfig, OptimizerAdaptor, ParamState, UpdateRule,
    WeightDecayConfig,
};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_core::config::Config;

/// Options of [`Sgd`].
#[derive(Config, Debug)]
pub struct SgdConfig {
    /// A decay that is part of the gradient.
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// Steps along a moving sum of gradients.
    #[config(default = "None")]
    pub momentum: Option<MomentumConfig>,
    /// What makes gradients smaller first.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

impl SgdConfig {
    /// [`with_weight_decay`](Self::with_weight_decay).
    #[must_use]
    pub fn with_weight_decay_config(self, weight_decay: Option<WeightDecayConfig>) -> Self {
        self.with_weight_decay(weight_decay)
    }

    /// An optimizer for any module on any backend.
    pub fn init(&self) -> OptimizerAdaptor<Sgd> {
        OptimizerAdaptor::new(Sgd { weight_decay: self.weight_decay, momentum: self.momentum })
            .with_grad_clipping(self.grad_clipping)
    }
}

/// Descent along the gradient: `x = x - lr g`. PyTorch: `torch.optim.SGD`.
///
/// With momentum, `v = momentum v + (1 - dampening) g`, where the first `v` is `g`, and `x = x - lr v`, or with
/// Nesterov's look ahead `x = x - lr (g + momentum v)`.
#[derive(Clone, Debug)]
pub struct Sgd {
    weight_decay: Option<WeightDecayConfig>,
    momentum: Option<MomentumConfig>,
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
        let grad = decayed(grad, &x, self.weight_decay);
        let Some(MomentumConfig { momentum, dampening, nesterov }) = self.momentum else {
            return sub_scaled(x, grad, lr);
        };
        state.count_step();
        let ahead = nesterov.then(|| grad.clone());
        let velocity = match state.take("velocity", &x) {
            Some(velocity) => add::<Dynamic>(scale(velocity, momentum), scale(grad, 1.0 - dampening)),
            None => grad,
        };
        state.put("velocity", velocity.clone());
        match ahead {
            Some(grad) => sub_scaled(x, add_scaled(grad, velocity, momentum), lr),
            None => sub_scaled(x, velocity, lr),
        }
    }
}
