//! A training loop of one's own.
//!
//! The model, the batches and the data are those of the guide; what the learner does there is written out
//! here.

use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::vision::MnistItem;
use burn::lr_scheduler::{CosineAnnealingLrSchedulerConfig, LrScheduler};
use burn::module::AutodiffModule;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{AdamConfig, GradientClippingConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use guide::data::{MnistBatch, MnistBatcher};
use guide::model::{Model, ModelConfig};
use std::sync::Arc;

// ANCHOR: config
/// Everything that decides how a run goes.
#[derive(Config, Debug)]
pub struct LoopConfig {
    #[config(default = 6)]
    pub num_epochs: usize,
    #[config(default = 64)]
    pub batch_size: usize,
    #[config(default = 64)]
    pub hidden_size: usize,
    #[config(default = 2e-3)]
    pub learning_rate: f64,
    #[config(default = 42)]
    pub seed: u64,
}
// ANCHOR_END: config

/// Mean loss and accuracy, in percent, of one pass over some data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pass {
    pub loss: f64,
    pub accuracy: f64,
}

// ANCHOR: loop
/// Trains a model on `train`, and calls `report` with the number of each epoch and its passes over `train`
/// and `valid`.
pub fn train<B: AutodiffBackend>(
    config: &LoopConfig,
    train: Arc<dyn Dataset<MnistItem>>,
    valid: Arc<dyn Dataset<MnistItem>>,
    device: &B::Device,
    mut report: impl FnMut(usize, Pass, Pass),
) -> Model<B> {
    B::seed(config.seed);
    let mut model: Model<B> = ModelConfig::new(10, config.hidden_size).init(device);
    let clipping = Some(GradientClippingConfig::GlobalNorm(5.0));
    let mut optim = AdamConfig::new().with_grad_clipping(clipping).init();
    let train = loader::<B>(config, train, device, Some(config.seed));
    let valid = loader::<B::InnerBackend>(config, valid, device, None);
    let steps = config.num_epochs * train.num_batches();
    let mut schedule = CosineAnnealingLrSchedulerConfig::new(config.learning_rate, steps).init();

    for epoch in 1..=config.num_epochs {
        let mut sums = Sums::default();
        for batch in train.iter() {
            let targets = batch.targets.clone();
            let (loss, output) = forward(&model, batch);
            sums.add(loss.clone().detach(), accuracy(output.detach(), targets.clone()), targets.dims()[0]);

            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = optim.step(schedule.step(), model, gradients);
        }
        report(epoch, sums.mean(), evaluate(&model.valid(), &*valid));
    }
    model
}
// ANCHOR_END: loop

// ANCHOR: valid
/// Runs all batches of a loader through the model, without gradients.
pub fn evaluate<B: Backend>(model: &Model<B>, batches: &dyn DataLoader<MnistBatch<B>>) -> Pass {
    let mut sums = Sums::default();
    for batch in batches.iter() {
        let targets = batch.targets.clone();
        let (loss, output) = forward(model, batch);
        sums.add(loss, accuracy(output, targets.clone()), targets.dims()[0]);
    }
    sums.mean()
}
// ANCHOR_END: valid

// ANCHOR: accuracy
/// The percentage of rows whose highest score is that of the target.
pub fn accuracy<B: Backend>(output: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> f64 {
    let rows = targets.dims()[0];
    let predictions = output.argmax(1).squeeze_dim::<1>(1);
    let right = predictions.equal(targets).int().sum().into_scalar().elem::<f64>();
    100.0 * right / rows as f64
}
// ANCHOR_END: accuracy

fn forward<B: Backend>(model: &Model<B>, batch: MnistBatch<B>) -> (Tensor<B, 1>, Tensor<B, 2>) {
    let output = model.forward(batch.images);
    let loss = CrossEntropyLossConfig::new().init(&output.device());
    (loss.forward(output.clone(), batch.targets), output)
}

/// Batches on a device, shuffled where there is a seed.
pub fn loader<B: Backend>(
    config: &LoopConfig,
    items: Arc<dyn Dataset<MnistItem>>,
    device: &B::Device,
    seed: Option<u64>,
) -> Arc<dyn DataLoader<MnistBatch<B>>> {
    let builder =
        DataLoaderBuilder::new(MnistBatcher::<B>::new(device.clone())).batch_size(config.batch_size);
    match seed {
        Some(seed) => builder.shuffle(seed).build(items),
        None => builder.build(items),
    }
}

/// Sums over batches, weighted by their rows.
#[derive(Default)]
struct Sums {
    rows: usize,
    loss: f64,
    accuracy: f64,
}

impl Sums {
    fn add<B: Backend>(&mut self, loss: Tensor<B, 1>, accuracy: f64, rows: usize) {
        self.rows += rows;
        self.loss += loss.into_scalar().elem::<f64>() * rows as f64;
        self.accuracy += accuracy * rows as f64;
    }

    fn mean(&self) -> Pass {
        let rows = self.rows as f64;
        Pass { loss: self.loss / rows, accuracy: self.accuracy / rows }
    }
}
