//! The run.

use crate::sequences::Sequences;
use burn::lm::LanguageModel;
use burn::nn::lora::LoraConfig;
use burn::nn::loss::LinearCrossEntropyLossConfig;
use burn::optim::{AdamWConfig, GradientClippingConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use std::error::Error;

/// Options of a fine-tuning.
#[derive(Config, Debug)]
pub struct FineTuningConfig {
    /// Rank, scale, dropout and targets of the adapters.
    pub lora: LoraConfig,
    /// Number of steps.
    #[config(default = 50)]
    pub steps: usize,
    /// Sequences of a step.
    #[config(default = 4)]
    pub batch_size: usize,
    #[config(default = 2e-3)]
    pub learning_rate: f64,
    /// Seed of the adapters and of dropout.
    #[config(default = 42)]
    pub seed: u64,
}

/// Adds adapters to a model and trains them; everything else stays as it is. `report` gets the number of each
/// step and its loss.
///
/// # Errors
/// An option is out of its range, or the sequences are longer than the context.
pub fn fine_tune<B: AutodiffBackend>(
    base: LanguageModel<B>,
    sequences: &Sequences,
    config: &FineTuningConfig,
    mut report: impl FnMut(usize, f64),
) -> Result<LanguageModel<B>, Box<dyn Error>> {
    B::seed(config.seed);
    let device = base.device();
    let mut model = config.lora.try_apply(base)?;
    let clipping = Some(GradientClippingConfig::GlobalNorm(1.0));
    let mut optimizer = AdamWConfig::new().with_weight_decay(0.0).with_grad_clipping(clipping).try_init()?;
    let loss = LinearCrossEntropyLossConfig::new().init();
    for step in 0..config.steps {
        let [tokens, next] = sequences.batch(step * config.batch_size, config.batch_size, &device);
        let loss = model.loss(tokens, next, &loss)?;
        report(step + 1, loss.clone().try_into_data()?.to_f64()[0]);
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(config.learning_rate, model, grads);
    }
    Ok(model)
}

/// Computes the mean loss of all sequences.
///
/// # Errors
/// The sequences are longer than the context.
pub fn mean_loss<B: Backend>(model: &LanguageModel<B>, sequences: &Sequences) -> Result<f64, Box<dyn Error>> {
    let (device, loss) = (model.device(), LinearCrossEntropyLossConfig::new().init());
    let mut sum = 0.0;
    for row in 0..sequences.count() {
        let [tokens, next] = sequences.batch(row, 1, &device);
        sum += model.loss(tokens, next, &loss)?.try_into_data()?.to_f64()[0];
    }
    Ok(sum / sequences.count() as f64)
}
