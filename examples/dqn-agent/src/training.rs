//! The run: the agent acts, remembers and learns.

use crate::agent::{Agent, AgentConfig};
use crate::cart_pole::{CartPole, State};
use crate::evaluation::mean_length;
use crate::q_network::QNetwork;
use crate::replay_buffer::{ReplayBuffer, Transition};
use burn::data::dataset::random::Generator;
use burn::lr_scheduler::{LinearLrSchedulerConfig, LrScheduler};
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
    /// Learning rate of the first step, from which it falls to a tenth.
    #[config(default = 1e-3)]
    pub learning_rate: f64,
    /// Number of steps after which the policy is looked at.
    #[config(default = 1000)]
    pub validation_interval: usize,
    /// Number of episodes that it then plays, without random actions.
    #[config(default = 10)]
    pub validation_episodes: usize,
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

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Number of steps so far.
    pub steps: usize,
    /// Number of episodes that have ended.
    pub episodes: usize,
    /// Mean length of the episodes that the policy has just played.
    pub mean_length: f64,
}

// ANCHOR: train
/// Trains an agent, and returns the policy that played the longest episodes on the way: values of actions
/// swing while they are learnt. Calls `report` whenever the policy is looked at.
pub fn train<B: AutodiffBackend>(
    config: &TrainingConfig,
    device: &B::Device,
    mut report: impl FnMut(Progress),
) -> QNetwork<B::InnerBackend> {
    B::seed(config.seed);
    let mut generator = Generator::new(config.seed);
    let mut agent = Agent::<B>::new(config.agent.clone(), device);
    let mut best = (f64::NEG_INFINITY, agent.policy());
    let mut buffer = ReplayBuffer::new(config.capacity);
    let mut schedule =
        LinearLrSchedulerConfig::new(config.learning_rate, config.learning_rate / 10.0, config.steps).init();
    let (mut cart_pole, mut episodes) = (CartPole::start(&mut generator), 0);
    for steps in 1..=config.steps {
        let state = cart_pole.state().features();
        let action = agent.act(state, config.epsilon(steps), &mut generator);
        let outcome = cart_pole.step(action);
        buffer.push(Transition {
            state,
            action,
            reward: outcome.reward as f32,
            next_state: outcome.state.features(),
            terminated: outcome.terminated,
        });
        if outcome.terminated || outcome.truncated {
            episodes += 1;
            cart_pole = CartPole::start(&mut generator);
        }
        let learning_rate = schedule.step();
        if steps > config.warm_up {
            agent.learn(buffer.sample(config.batch_size, &mut generator, device), learning_rate);
        }
        if steps % config.validation_interval == 0 {
            let policy = agent.policy();
            let play = |state: State| policy.best_action(state.features(), device);
            let mean_length = mean_length(config.validation_episodes, config.seed, play);
            report(Progress { steps, episodes, mean_length });
            if mean_length > best.0 {
                best = (mean_length, policy);
            }
        }
    }
    best.1
}
// ANCHOR_END: train
