//! Data parallel training: every rank has the model, and a part of each batch.
//!
//! Model, batches and data are those of the guide. [`train`] is a loop of its own, which with one process is
//! an ordinary one; [`learner::train`] leaves the loop to the `Learner`.

pub mod learner;

use burn::collective::{CollectiveError, Communicator, DataParallel, DistributedSampler, Local, Reduction};
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::vision::MnistItem;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{AdamConfig, Optimizer};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use guide::data::MnistBatcher;
use guide::model::{Model, ModelConfig};

/// Seeds of a step.
const MAX_PARTS: u64 = 1 << 16;

/// Everything that decides how a run goes.
#[derive(Config, Debug)]
pub struct RunConfig {
    #[config(default = 4)]
    pub num_epochs: usize,
    /// Items of a step on all ranks together.
    #[config(default = 64)]
    pub batch_size: usize,
    #[config(default = 64)]
    pub hidden_size: usize,
    #[config(default = 0.5)]
    pub dropout: f64,
    #[config(default = 2e-3)]
    pub learning_rate: f64,
    #[config(default = 42)]
    pub seed: u64,
    /// Number of parts of a batch whose gradients are added in a fixed order, a power of two: the weights
    /// then have the same bits for every number of ranks that divides it. 0 adds one gradient of each rank,
    /// which is faster.
    #[config(default = 0)]
    pub fixed_order_parts: usize,
}

// ANCHOR: loop
/// Trains a model on all ranks, and returns it. On rank 0, `report` gets the number and the mean loss of each
/// epoch.
///
/// # Errors
/// When a rank fails, or the batch has fewer items than ranks.
pub fn train<B: AutodiffBackend>(
    config: &RunConfig,
    train: &dyn Dataset<MnistItem>,
    communicator: &Communicator,
    device: &B::Device,
    mut report: impl FnMut(usize, f64),
) -> Result<Model<B>, CollectiveError> {
    B::seed(config.seed);
    let parallel = DataParallel::new(communicator.clone());
    let parts = Parts::new(config, train.len(), communicator)?;
    let model = ModelConfig::new(10, config.hidden_size).with_dropout(config.dropout).init::<B>(device);
    let mut model = parallel.synchronize(model)?;
    let mut optimizer = AdamConfig::new().init();
    let batcher = MnistBatcher::<B>::new(device.clone());
    let mut step: u64 = 0;
    for epoch in 1..=config.num_epochs {
        let (mut loss_sum, mut items) = (0.0, 0);
        for batch in parts.of_epoch(epoch)? {
            let mut losses = batch.into_iter().map(|part| {
                if part.items.is_empty() {
                    return (None, 0);
                }
                // The same dropout whichever rank has the part.
                B::seed(config.seed + 1 + step * MAX_PARTS + part.number as u64);
                let images = part.items.iter().filter_map(|index| train.get(*index)).collect();
                let loss = loss(&model, batcher.batch(images));
                loss_sum += loss.clone().into_scalar().elem::<f64>() * part.items.len() as f64;
                items += part.items.len();
                (Some(loss), part.items.len())
            });
            // Gradients travel to the other ranks while the backward pass computes the rest.
            let reduced = if config.fixed_order_parts > 0 {
                parallel.backward_chunks::<B, _, _>(losses, &model)?
            } else {
                let (loss, count) = losses.next().unwrap_or_default();
                drop(losses);
                parallel.backward(loss, &model, count)?
            };
            model = optimizer.step(config.learning_rate, model, reduced.grads);
            step += 1;
        }
        // The mean over the items of all ranks.
        let sums = Tensor::<B::InnerBackend, 1>::from_data([loss_sum, items as f64], device);
        let sums = communicator.all_reduce(sums, Reduction::Sum)?.into_data().to_f64();
        if communicator.rank() == 0 {
            report(epoch, sums[0] / sums[1]);
        }
    }
    Ok(model)
}
// ANCHOR_END: loop

fn loss<B: Backend>(model: &Model<B>, batch: guide::data::MnistBatch<B>) -> Tensor<B, 1> {
    let output = model.forward(batch.images);
    CrossEntropyLossConfig::new().init(&output.device()).forward(output, batch.targets)
}

/// Items of a batch whose gradient is reduced at once.
struct BatchPart {
    /// Items of the part, which are all of this rank.
    items: Vec<usize>,
    /// Number by which the dropout differs from that of other parts.
    number: usize,
}

/// Parts of the batches of all ranks.
struct Parts {
    sampler: DistributedSampler,
    rank: usize,
    world_size: usize,
    /// Number of parts of each batch, 0 for one that all ranks share.
    fixed_order: usize,
}

impl Parts {
    fn new(config: &RunConfig, items: usize, communicator: &Communicator) -> Result<Self, CollectiveError> {
        let (rank, world_size) = (communicator.rank(), communicator.world_size());
        let fixed_order = config.fixed_order_parts;
        if !fixed_order.is_multiple_of(world_size) {
            return Err(CollectiveError::Argument {
                operation: "train".into(),
                rank,
                argument: "fixed_order_parts",
                expected: format!("a multiple of {world_size} ranks"),
                found: fixed_order.to_string(),
            });
        }
        // In a fixed order, each rank takes its parts of whole batches, those of a single rank.
        let alone = Local::new(1)?.remove(0);
        let shared_by = if fixed_order == 0 { communicator } else { &alone };
        let sampler = DistributedSampler::new(items, config.batch_size, shared_by)?.with_shuffle(config.seed);
        Ok(Parts { sampler, rank, world_size, fixed_order })
    }

    /// Returns the parts of this rank of each batch of an epoch.
    fn of_epoch(&self, epoch: usize) -> Result<Vec<Vec<BatchPart>>, CollectiveError> {
        let batches = self.sampler.batches(epoch as u64)?;
        Ok(batches.into_iter().map(|items| self.of_batch(items)).collect())
    }

    fn of_batch(&self, items: Vec<usize>) -> Vec<BatchPart> {
        if self.fixed_order == 0 {
            return vec![BatchPart { items, number: self.rank }];
        }
        let (size, count) = (items.len(), self.fixed_order);
        let own = count / self.world_size;
        let part = |number: usize| BatchPart {
            items: items[size * number / count..size * (number + 1) / count].to_vec(),
            number,
        };
        (self.rank * own..(self.rank + 1) * own).map(part).collect()
    }
}
