//! The run: a critic that learns more often than the generator.

use crate::critic::{Critic, CriticConfig};
use crate::generator::{Generator, GeneratorConfig};
use crate::gradient_penalty::gradient_penalty;
use crate::images::Images;
use crate::weight_clipping::WeightClipping;
use burn::module::AutodiffModule;
use burn::optim::{AdamConfig, GradientsParams, Optimizer, RmsPropConfig};
use burn::prelude::*;
use burn::tensor::Distribution;
use burn::tensor::backend::AutodiffBackend;

/// Method that keeps the critic Lipschitz continuous.
#[derive(Config, Debug, PartialEq)]
pub enum Lipschitz {
    /// Weight clipping: each parameter of the critic is clamped to `-limit..=limit` after each step. Both
    /// models learn by RMSProp, as a critic whose weights are clipped is unstable with momentum.
    WeightClipping(f64),
    /// Gradient penalty, with its weight in the loss of the critic. Both models learn by Adam.
    GradientPenalty(f64),
}

/// Configuration of a training run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    pub lipschitz: Lipschitz,
    /// Number of steps of the generator.
    #[config(default = 3000)]
    pub steps: usize,
    /// Number of steps of the critic for each of the generator.
    #[config(default = 5)]
    pub critic_steps: usize,
    #[config(default = 64)]
    pub batch_size: usize,
    #[config(default = 5e-4)]
    pub learning_rate: f64,
    #[config(default = 32)]
    pub d_noise: usize,
    #[config(default = 128)]
    pub d_hidden: usize,
    #[config(default = 42)]
    pub seed: u64,
}

/// A generator, and the critic that it learns from.
#[derive(Debug)]
pub struct Adversaries<B: AutodiffBackend> {
    pub generator: Generator<B>,
    pub critic: Critic<B>,
    config: TrainingConfig,
    device: B::Device,
}

// ANCHOR: train
/// Trains a generator on images, and calls `report` with the number of each of its steps and the critic's
/// estimate of the Wasserstein distance before it: the mean score of real images less that of generated ones.
pub fn train<B: AutodiffBackend>(
    config: &TrainingConfig,
    images: &Images,
    device: &B::Device,
    mut report: impl FnMut(usize, f64),
) -> Adversaries<B> {
    B::seed(config.seed);
    let mut adversaries = Adversaries::<B>::new(config.clone(), images, device);
    let images: Tensor<B, 2> = images.to_tensor(device);
    match config.lipschitz {
        Lipschitz::WeightClipping(_) => {
            let optimizer = RmsPropConfig::new();
            adversaries.run(optimizer.init(), optimizer.init(), &images, &mut report);
        }
        Lipschitz::GradientPenalty(_) => {
            let optimizer = AdamConfig::new().with_beta_1(0.5).with_beta_2(0.9);
            adversaries.run(optimizer.init(), optimizer.init(), &images, &mut report);
        }
    }
    adversaries
}

impl<B: AutodiffBackend> Adversaries<B> {
    /// Returns two models that have learnt nothing.
    pub fn new(config: TrainingConfig, images: &Images, device: &B::Device) -> Self {
        let TrainingConfig { d_noise, d_hidden, .. } = config;
        let pixels = images.side * images.side;
        Adversaries {
            generator: GeneratorConfig::new(pixels)
                .with_d_noise(d_noise)
                .with_d_hidden(d_hidden)
                .init(device),
            critic: CriticConfig::new(pixels).with_d_hidden(d_hidden).init(device),
            config,
            device: device.clone(),
        }
    }

    fn run(
        &mut self,
        mut of_generator: impl Optimizer<Generator<B>, B>,
        mut of_critic: impl Optimizer<Critic<B>, B>,
        images: &Tensor<B, 2>,
        report: &mut dyn FnMut(usize, f64),
    ) {
        for step in 1..=self.config.steps {
            let mut estimate = 0.0;
            for _ in 0..self.config.critic_steps {
                estimate = self.step_critic(&mut of_critic, images);
            }
            report(step, estimate);
            self.step_generator(&mut of_generator);
        }
    }

    /// Has the critic score real and generated images, and returns its estimate before the step.
    fn step_critic(&mut self, optimizer: &mut impl Optimizer<Critic<B>, B>, images: &Tensor<B, 2>) -> f64 {
        let rows = [self.config.batch_size];
        let drawn: Tensor<B, 1> =
            Tensor::random(rows, Distribution::Uniform(0.0, images.dims()[0] as f64), &self.device);
        let real = images.clone().select(0, drawn.int());
        let fake = self.generator.forward(self.noise(self.config.batch_size)).detach();
        let estimate = self.critic.forward(real.clone()).mean() - self.critic.forward(fake.clone()).mean();
        let loss = match self.config.lipschitz {
            Lipschitz::WeightClipping(_) => -estimate.clone(),
            Lipschitz::GradientPenalty(weight) => {
                let mix = Tensor::random([rows[0], 1], Distribution::Uniform(0.0, 1.0), &self.device);
                gradient_penalty(&self.critic, real, fake, mix) * weight - estimate.clone()
            }
        };
        let gradients = GradientsParams::from_grads(loss.backward(), &self.critic);
        self.critic = optimizer.step(self.config.learning_rate, self.critic.clone(), gradients);
        if let Lipschitz::WeightClipping(limit) = self.config.lipschitz {
            self.critic = self.critic.clone().map(&mut WeightClipping { limit });
        }
        estimate.into_scalar().elem()
    }

    /// Has the generator raise the score of its images; the gradients of the critic are left out.
    fn step_generator(&mut self, optimizer: &mut impl Optimizer<Generator<B>, B>) {
        let fake = self.generator.forward(self.noise(self.config.batch_size));
        let loss = -self.critic.forward(fake).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.generator);
        self.generator = optimizer.step(self.config.learning_rate, self.generator.clone(), gradients);
    }

    fn noise(&self, rows: usize) -> Tensor<B, 2> {
        Tensor::random([rows, self.config.d_noise], Distribution::Normal(0.0, 1.0), &self.device)
    }

    /// Makes images, `[count, pixels]`, without gradients.
    pub fn generate(&self, count: usize) -> Tensor<B::InnerBackend, 2> {
        self.generator.valid().forward(self.noise(count).inner())
    }
}
// ANCHOR_END: train
