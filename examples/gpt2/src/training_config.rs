//! Options of a run.

use burn::prelude::*;
use std::f64::consts::PI;

/// Everything that decides how a run goes, beside model and data.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    /// Number of steps of the optimizer.
    #[config(default = 200)]
    pub steps: usize,
    /// Sequences of a batch, on each rank.
    #[config(default = 8)]
    pub batch_size: usize,
    /// Batches whose gradients are added before a step.
    #[config(default = 1)]
    pub accumulation: usize,
    /// Tokens of a sequence.
    #[config(default = 128)]
    pub length: usize,
    /// Largest learning rate.
    #[config(default = 6e-4)]
    pub learning_rate: f64,
    /// Learning rate at the end.
    #[config(default = 6e-5)]
    pub final_learning_rate: f64,
    /// Steps in which the learning rate rises to its largest value.
    #[config(default = 20)]
    pub warmup_steps: usize,
    /// Weight decay of matrices; biases and norms have none.
    #[config(default = 0.1)]
    pub weight_decay: f64,
    /// Decay rate of the moving average of gradients.
    #[config(default = 0.9)]
    pub beta_1: f64,
    /// Decay rate of the moving average of squared gradients.
    #[config(default = 0.95)]
    pub beta_2: f64,
    /// Largest 2-norm of the gradients of a step.
    #[config(default = 1.0)]
    pub max_gradient_norm: f64,
    /// Rows whose logits are in memory at once.
    #[config(default = 1024)]
    pub loss_block_rows: usize,
    /// Seed of the batches and of dropout.
    #[config(default = 42)]
    pub seed: u64,
}

impl TrainingConfig {
    /// Returns the learning rate of a step, from 0 on: a linear warm-up, then a cosine (Loshchilov and Hutter
    /// 2016).
    pub fn learning_rate_at(&self, step: usize) -> f64 {
        if step < self.warmup_steps {
            return self.learning_rate * (step + 1) as f64 / self.warmup_steps as f64;
        }
        let decay_steps = self.steps.saturating_sub(self.warmup_steps).max(1);
        let progress = ((step - self.warmup_steps) as f64 / decay_steps as f64).min(1.0);
        let share = 0.5 * (1.0 + (PI * progress).cos());
        self.final_learning_rate + share * (self.learning_rate - self.final_learning_rate)
    }
}
