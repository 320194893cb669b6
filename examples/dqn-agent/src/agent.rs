//! An agent that learns the values of actions.

use crate::cart_pole::ACTIONS;
use crate::q_network::{QNetwork, QNetworkConfig};
use crate::replay_buffer::TransitionBatch;
use burn::data::dataset::random::Generator;
use burn::module::AutodiffModule;
use burn::nn::loss::{HuberLossConfig, Reduction};
use burn::optim::{
    Adam, AdamConfig, EmaConfig, GradientClippingConfig, GradientsParams, ModuleAverage, Optimizer,
    OptimizerAdaptor,
};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

/// Hyperparameters of an agent.
#[derive(Config, Debug)]
pub struct AgentConfig {
    #[config(default = "QNetworkConfig::new()")]
    pub network: QNetworkConfig,
    /// Discount factor of future rewards, per step.
    #[config(default = 0.99)]
    pub discount: f64,
    /// Part of the online network that goes into the target network at each step.
    #[config(default = 0.01)]
    pub tau: f64,
    #[config(default = 1e-3)]
    pub learning_rate: f64,
}

/// Deep Q-network (Mnih et al. 2015) with a target network that follows softly (Lillicrap et al. 2016).
#[derive(Debug)]
pub struct Agent<B: AutodiffBackend> {
    online: QNetwork<B>,
    /// Exponential moving average of the online network.
    average: ModuleAverage,
    target: QNetwork<B::InnerBackend>,
    optimizer: OptimizerAdaptor<Adam>,
    config: AgentConfig,
    device: B::Device,
}

impl<B: AutodiffBackend> Agent<B> {
    /// Returns an agent that has learnt nothing, on `device`.
    pub fn new(config: AgentConfig, device: &B::Device) -> Self {
        let online: QNetwork<B> = config.network.init(device);
        let mut average = EmaConfig::new().with_decay(1.0 - config.tau).init();
        average.update::<B, _>(&online);
        let clipping = Some(GradientClippingConfig::GlobalNorm(10.0));
        Agent {
            target: online.valid(),
            online,
            average,
            optimizer: AdamConfig::new().with_grad_clipping(clipping).init(),
            config,
            device: device.clone(),
        }
    }

    // ANCHOR: act
    /// Returns a random action with a probability of `epsilon`, and the one with the highest value otherwise.
    pub fn act(&self, state: [f32; 4], epsilon: f64, generator: &mut Generator) -> usize {
        if generator.chance(epsilon) {
            return generator.below(ACTIONS);
        }
        self.policy().best_action(state, &self.device)
    }
    // ANCHOR_END: act

    // ANCHOR: learn
    /// Moves the values of the actions that were taken towards `r + discount max Q'(s')`, where `Q'` is the target network, and the
    /// target network towards the online network. Returns the loss.
    pub fn learn(&mut self, batch: TransitionBatch<B>) -> f64 {
        let best_next = self.target.forward(batch.next_states.inner()).max_dim(1);
        let future = best_next * batch.continues.inner() * self.config.discount;
        let targets = Tensor::from_inner(batch.rewards.inner() + future);

        let values = self.online.forward(batch.states).gather(1, batch.actions);
        let loss = HuberLossConfig::new(1.0).init().forward(values, targets, Reduction::Mean);
        let gradients = GradientsParams::from_grads(loss.backward(), &self.online);
        self.online = self.optimizer.step(self.config.learning_rate, self.online.clone(), gradients);

        self.average.update::<B, _>(&self.online);
        self.target = self.average.average::<B, _>(self.online.clone()).valid();
        loss.into_scalar().elem()
    }
    // ANCHOR_END: learn

    /// Returns the online network, without gradients.
    pub fn policy(&self) -> QNetwork<B::InnerBackend> {
        self.online.valid()
    }
}
