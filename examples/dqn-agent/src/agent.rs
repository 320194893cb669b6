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
}

/// Deep Q-network (Mnih et al. 2015) whose online network chooses the action that its target network values
/// (van Hasselt, Guez and Silver 2016); the target network follows softly (Lillicrap et al. 2016).
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
        self.online.valid().best_action(state, &self.device)
    }
    // ANCHOR_END: act

    // ANCHOR: learn
    /// Moves the values of the actions that were taken towards `r + discount Q'(s', a)`, where `Q'` is the
    /// target network and `a` the action that the online network prefers in `s'`, and the target network
    /// towards the online network. Returns the loss.
    pub fn learn(&mut self, batch: TransitionBatch<B>, learning_rate: f64) -> f64 {
        let next_states = batch.next_states.inner();
        let preferred = self.online.valid().forward(next_states.clone()).argmax(1);
        let best_next = self.target.forward(next_states).gather(1, preferred);
        let future = best_next * batch.continues.inner() * self.config.discount;
        let targets = Tensor::from_inner(batch.rewards.inner() + future);

        let values = self.online.forward(batch.states).gather(1, batch.actions);
        let loss = HuberLossConfig::new(1.0).init().forward(values, targets, Reduction::Mean);
        let gradients = GradientsParams::from_grads(loss.backward(), &self.online);
        self.online = self.optimizer.step(learning_rate, self.online.clone(), gradients);

        self.average.update::<B, _>(&self.online);
        self.target = self.average.average::<B, _>(self.online.clone()).valid();
        loss.into_scalar().elem()
    }
    // ANCHOR_END: learn

    /// Returns the target network, an average over the last steps, which plays more evenly than the online
    /// network.
    pub fn policy(&self) -> QNetwork<B::InnerBackend> {
        self.target.clone()
    }
}
