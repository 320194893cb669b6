//! Steps of the training.

use crate::batch::TokenBatch;
use crate::training_config::TrainingConfig;
use burn::collective::{AccumulatedGradients, DataParallel};
use burn::lm::LanguageModel;
use burn::nn::loss::{LinearCrossEntropyLoss, LinearCrossEntropyLossConfig};
use burn::optim::{AdamWConfig, GradientClippingConfig, GradientsParams, Optimizer, ParameterGroups};
use burn::tensor::Tensor;
use burn::tensor::backend::AutodiffBackend;
use std::error::Error;

/// A training after a step, and the loss before it.
pub type StepResult<B> =
    Result<(Trainer<B>, Tensor<<B as AutodiffBackend>::InnerBackend, 1>), Box<dyn Error>>;

/// A model in training.
#[derive(Clone, Debug)]
pub struct Trainer<B: AutodiffBackend> {
    pub model: LanguageModel<B>,
    /// Number of steps so far.
    pub steps: usize,
    pub optimizer: ParameterGroups,
    pub config: TrainingConfig,
    pub loss: LinearCrossEntropyLoss,
    parallel: Option<DataParallel>,
}

impl<B: AutodiffBackend> Trainer<B> {
    /// Returns a training at its begin.
    ///
    /// # Errors
    /// An option is out of its range; the error names it.
    pub fn new(model: LanguageModel<B>, config: TrainingConfig) -> Result<Self, Box<dyn Error>> {
        let loss = LinearCrossEntropyLossConfig::new().with_block_rows(config.loss_block_rows).try_init()?;
        let optimizer = optimizer(&config)?;
        Ok(Trainer { model, steps: 0, optimizer, config, loss, parallel: None })
    }

    /// Returns this training on all ranks, which begin with the weights of rank 0.
    ///
    /// # Errors
    /// A rank failed, or has another model.
    pub fn with_data_parallel(mut self, parallel: DataParallel) -> Result<Self, Box<dyn Error>> {
        self.model = parallel.synchronize(self.model)?;
        self.parallel = Some(parallel);
        Ok(self)
    }

    /// Makes a step with the mean gradient of some batches. On several ranks the gradients travel once, with
    /// the last batch. Returns the mean loss, shape `[1]`, as it was before the step.
    ///
    /// # Errors
    /// Sequences are longer than the context, or a rank failed.
    pub fn step(mut self, batches: Vec<TokenBatch<B>>) -> StepResult<B> {
        // The same dropout when a run is resumed.
        B::seed(self.config.seed.wrapping_add(self.steps as u64));
        let count = batches.len();
        let (mut earlier, mut grads, mut mean) = (AccumulatedGradients::new(), None, None);
        for (index, batch) in batches.into_iter().enumerate() {
            let sequences = batch.tokens.dims()[0];
            let loss = self.model.loss(batch.tokens, batch.next, &self.loss)?;
            let value = loss.clone().inner() / count as f64;
            mean = Some(mean.map_or(value.clone(), |sum| sum + value));
            match &self.parallel {
                Some(parallel) if index + 1 == count => {
                    let earlier = std::mem::take(&mut earlier);
                    grads = Some(parallel.backward_accumulated(earlier, loss, &self.model, sequences)?.grads);
                }
                Some(_) | None => {
                    earlier.add(GradientsParams::from_grads(loss.backward(), &self.model), sequences);
                }
            }
        }
        let rate = self.config.learning_rate_at(self.steps);
        let grads = grads.unwrap_or_else(|| earlier.into_mean());
        self.model = self.optimizer.step(rate, self.model, grads);
        self.steps += 1;
        Ok((self, mean.ok_or("a step needs a batch")?))
    }
}

/// Returns the optimizer: AdamW, whose update is one kernel for each parameter. Half-precision parameters
/// have an `f32` copy, which is updated and rounded.
fn optimizer(config: &TrainingConfig) -> Result<ParameterGroups, Box<dyn Error>> {
    let adam = AdamWConfig::new()
        .with_beta_1(config.beta_1)
        .with_beta_2(config.beta_2)
        .with_weight_decay(config.weight_decay);
    let without_decay = adam.clone().with_weight_decay(0.0);
    let mut optimizer = ParameterGroups::new(adam.try_init()?.with_master_weights(true));
    for pattern in ["**.bias", "**.gamma", "**.beta"] {
        let group = without_decay.try_init()?.with_master_weights(true);
        optimizer = optimizer.try_with_group(pattern, group)?;
    }
    Ok(optimizer.with_grad_clipping(Some(GradientClippingConfig::GlobalNorm(config.max_gradient_norm))))
}
