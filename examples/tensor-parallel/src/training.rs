use crate::sequences::{VOCABULARY, sequences};
use crate::{SplitTransformer, TransformerConfig};
use burn::collective::{CollectiveError, Communicator, DataParallel, DistributedSampler, Mesh, Reduction};
use burn::config::Config;
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::tensor::backend::AutodiffBackend;

/// Options of a run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    /// Ranks that each layer is split over.
    #[config(default = 2)]
    pub tensor: usize,
    /// Copies of the model, each of which sees a part of the batch.
    #[config(default = 1)]
    pub data: usize,
    /// Epochs of 256 sequences.
    #[config(default = 12)]
    pub epochs: usize,
    /// Sequences in the batch of all ranks.
    #[config(default = 32)]
    pub batch_size: usize,
    /// Learning rate.
    #[config(default = 3e-3)]
    pub learning_rate: f64,
}

const ITEMS: usize = VOCABULARY * VOCABULARY;
const LENGTH: usize = 8;

// ANCHOR: train
/// Trains the part of the model that this rank has, and returns the mean loss of each epoch. Rank 0 reports
/// them.
pub fn train<B: AutodiffBackend>(
    config: &TrainingConfig,
    communicator: &Communicator,
    device: &B::Device,
    report: impl Fn(usize, f64),
) -> Result<Vec<f64>, CollectiveError> {
    let mesh = Mesh::new(communicator, &[("data", config.data), ("tensor", config.tensor)])?;
    let (data, tensor) = (mesh.group("data")?, mesh.group("tensor")?);
    // All ranks begin with the model of rank 0, of which each keeps its part.
    let whole = TransformerConfig::new(VOCABULARY, LENGTH).init::<B>(device);
    let whole = DataParallel::new(communicator.clone()).synchronize(whole)?;
    let mut model = SplitTransformer::new(whole, tensor)?;
    // Ranks of one copy see the same items.
    let sampler = DistributedSampler::new(ITEMS, config.batch_size, data)?.with_shuffle(42);
    let parallel = DataParallel::new(data.clone());
    let mut optimizer = AdamWConfig::new().init();
    let mut losses = Vec::new();
    for epoch in 0..config.epochs {
        let (mut sum, mut count) = (0.0, 0);
        for items in sampler.batches(epoch as u64)? {
            let (tokens, targets) = sequences::<B>(&items, LENGTH, device);
            let loss = model.loss(tokens, targets, tensor)?;
            let mean = data.all_reduce(loss.clone().inner(), Reduction::Mean)?;
            sum += mean.into_data().to_f64()[0];
            count += 1;
            let grads = GradientsParams::from_grads(loss.backward(), &model);
            let grads = parallel.reduce_gradients(grads, &model, items.len())?.grads;
            model = optimizer.step(config.learning_rate, model, grads);
        }
        losses.push(sum / f64::from(count));
        if communicator.rank() == 0 {
            report(epoch, sum / f64::from(count));
        }
    }
    Ok(losses)
}
// ANCHOR_END: train
