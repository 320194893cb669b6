//! The run: the agent acts, remembers and learns.

use crate::agent::{Agent, AgentConfig};
use crate::cart_pole::CartPole;
use crate::replay_buffer::{ReplayBuffer, Transition};
use burn::data::dataset::random::Generator;
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

/// Configuration of a training run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    #[config(default = "AgentConfig::new()")]
    pub agent: AgentConfig,
    /// Number of steps that the agent takes.
    #[config(default = 30_000)]
    pub steps: usize,
    /// Number of steps before it begins to learn.
    #[config(default = 500)]
    pub warm_up: usize,
    /// Number of transitions that it remembers.
    #[config(default = 20_000)]
    pub capacity: usize,
    /// Number of transitions of a batch.
    #[config(default = 64)]
    pub batch_size: usize,
    /// Probability of a random action at the first step.
    #[config(default = 1.0)]
    pub epsilon_start: f64,
    /// Probability of a random action when exploration has come down.
    #[config(default = 0.05)]
    pub epsilon_end: f64,
    /// Part of the steps over which it comes down.
    #[config(default = 0.2)]
    pub exploration: f64,
    #[config(default = 42)]
    pub seed: u64,
}

impl TrainingConfig {
    /// Returns the probability of a random action at a step: it falls linearly, then stays.
    pub fn epsilon(&self, step: usize) -> f64 {
        let way = (step as f64 / (self.exploration * self.steps as f64)).min(1.0);
        self.epsilon_start + way * (self.epsilon_end - self.epsilon_start)
    }
}

// ANCHOR: train
/// Trains an agent, and calls `report` with the number of steps so far and the length of each episode when it ends.
pub fn train<B: AutodiffBackend>(
    config: &TrainingConfig,
    device: &B::Device,
    mut report: impl FnMut(usize, usize),
) -> Agent<B> {
    B::seed(config.seed);
    let mut generator = Generator::new(config.seed);
    let mut agent = Agent::<B>::new(config.agent.clone(), device);
    let mut buffer = ReplayBuffer::new(config.capacity);
    let (mut cart_pole, mut length) = (CartPole::start(&mut generator), 0);
    for step in 0..config.steps {
        let state = cart_pole.state().features();
        let action = agent.act(state, config.epsilon(step), &mut generator);
        let outcome = cart_pole.step(action);
        buffer.push(Transition {
            state,
            action,
            reward: outcome.reward as f32,
            next_state: outcome.state.features(),
            terminated: outcome.terminated,
        });
        length += 1;
        if outcome.terminated || outcome.truncated {
            report(step + 1, length);
            (cart_pole, length) = (CartPole::start(&mut generator), 0);
        }
        if step >= config.warm_up {
            agent.learn(buffer.sample(config.batch_size, &mut generator, device));
        }
    }
    agent
}
// ANCHOR_END: train
