//! The run.

use crate::batch::{BatchNumber, BatchShape, random_batch, successive_batch};
use crate::checkpoint;
use crate::corpus::{Corpus, Tokens};
use crate::throughput::{flops_per_token, median};
use crate::trainer::Trainer;
use burn::lm::LanguageModel;
use burn::module::AutodiffModule;
use burn::nn::loss::LinearCrossEntropyLoss;
use burn::tensor::Tensor;
use burn::tensor::backend::{AutodiffBackend, Backend};
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

/// Options of a run beside its steps.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Rank of this process, and number of ranks.
    pub rank: usize,
    pub world_size: usize,
    /// Steps between two reports, which wait for the device.
    pub report_every: usize,
    /// Steps between two evaluations, 0 for none but the last.
    pub evaluate_every: usize,
    /// Batches of an evaluation.
    pub evaluation_batches: usize,
    /// Folder of checkpoints, and steps between two of them.
    pub checkpoints: Option<(PathBuf, usize)>,
    /// Floating-point operations a second that the device can do.
    pub peak_flops: Option<f64>,
}

/// A line about the last steps. Displayed as `step 10  loss 5.1234  lr 3.0e-4  tokens/s 1000  ms 20.0`.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Steps so far.
    pub steps: usize,
    /// Mean loss of the last step on this rank.
    pub loss: f64,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Time of a step.
    pub seconds: f64,
    /// Tokens of a step on all ranks.
    pub tokens: usize,
    /// Model FLOPs utilization: the share of the device's peak that the model needs.
    pub mfu: Option<f64>,
    /// Mean loss of the evaluation split, if there was an evaluation.
    pub valid_loss: Option<f64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { steps, loss, learning_rate, seconds, tokens, mfu, valid_loss } = self;
        let speed = *tokens as f64 / seconds;
        write!(
            f,
            "step {steps}  loss {loss:.4}  lr {learning_rate:.1e}  tokens/s {speed:.0}  ms {:.1}",
            seconds * 1e3
        )?;
        if let Some(mfu) = mfu {
            write!(f, "  mfu {mfu:.3}")?;
        }
        match valid_loss {
            Some(loss) => write!(f, "  valid {loss:.4}"),
            None => Ok(()),
        }
    }
}

/// A trained model.
#[derive(Debug)]
pub struct Outcome<B: AutodiffBackend> {
    pub trainer: Trainer<B>,
    /// Mean loss of the evaluation split.
    pub valid_loss: f64,
    /// Median time of a step, over reports but the first, which compiles kernels.
    pub median_seconds: Option<f64>,
}

/// Makes the steps of a run that are left, with a report now and then.
///
/// # Errors
/// A file cannot be read or written, or a rank failed.
pub fn run<B: AutodiffBackend>(
    mut trainer: Trainer<B>,
    corpus: &Corpus,
    options: &RunOptions,
    device: &B::Device,
    mut report: impl FnMut(&Report),
) -> Result<Outcome<B>, Box<dyn Error>> {
    let config = trainer.config.clone();
    let vocabulary_size = trainer.model.config.vocabulary_size;
    let shape = BatchShape { batch_size: config.batch_size, length: config.length, vocabulary_size };
    let tokens = config.batch_size * config.length * config.accumulation * options.world_size;
    let flops = flops_per_token(&trainer.model, config.length) * tokens as f64 / options.world_size as f64;
    let mut times = Vec::new();
    let (mut begin, mut reported) = (Instant::now(), trainer.steps);
    while trainer.steps < config.steps {
        let step = trainer.steps;
        let batches = (0..config.accumulation).map(|part| {
            let index = ((step * config.accumulation + part) * options.world_size + options.rank) as u64;
            random_batch(&corpus.train, shape, BatchNumber { seed: config.seed, index }, device)
        });
        let batches = batches.collect::<Result<Vec<_>, _>>()?;
        let (next, loss) = trainer.step(batches)?;
        trainer = next;
        let due = |every: usize| every > 0 && trainer.steps.is_multiple_of(every);
        let is_last = trainer.steps == config.steps;
        if due(options.report_every) || due(options.evaluate_every) || is_last {
            let loss = loss.try_into_data()?.to_f64()[0];
            B::sync(device);
            let seconds = begin.elapsed().as_secs_f64() / (trainer.steps - reported) as f64;
            times.push(seconds);
            let evaluates = due(options.evaluate_every) && !is_last;
            let valid_loss = match evaluates {
                true => Some(evaluate(
                    &trainer.model.valid(),
                    &corpus.valid,
                    shape,
                    options.evaluation_batches,
                    &trainer.loss,
                )?),
                false => None,
            };
            report(&Report {
                steps: trainer.steps,
                loss,
                learning_rate: config.learning_rate_at(step),
                seconds,
                tokens,
                mfu: options.peak_flops.map(|peak| flops / seconds / peak),
                valid_loss,
            });
            (begin, reported) = (Instant::now(), trainer.steps);
        }
        if let Some((folder, every)) = options.checkpoints.as_ref().filter(|_| options.rank == 0)
            && (due(*every) || is_last)
        {
            checkpoint::save(&trainer, folder)?;
            begin = Instant::now();
        }
    }
    let valid_loss =
        evaluate(&trainer.model.valid(), &corpus.valid, shape, options.evaluation_batches, &trainer.loss)?;
    times.drain(..1.min(times.len().saturating_sub(1)));
    Ok(Outcome { trainer, valid_loss, median_seconds: median(times) })
}

/// Computes the mean loss of the first batches of a split.
///
/// # Errors
/// The split has less than a sequence, or a file cannot be read.
pub fn evaluate<B: Backend>(
    model: &LanguageModel<B>,
    split: &Tokens,
    shape: BatchShape,
    batches: usize,
    loss: &LinearCrossEntropyLoss,
) -> Result<f64, Box<dyn Error>> {
    let device = model.device();
    let (mut sum, mut sequences) = (0.0, 0);
    for index in 0..batches {
        let Some(batch) = successive_batch::<B>(split, shape, index, &device)? else { break };
        let count = batch.tokens.dims()[0];
        let loss: Tensor<B, 1> = model.loss(batch.tokens, batch.next, loss)?;
        sum += loss.try_into_data()?.to_f64()[0] * count as f64;
        sequences += count;
    }
    match sequences {
        0 => Err(format!("the evaluation split has less than {} tokens", shape.length + 1).into()),
        _ => Ok(sum / sequences as f64),
    }
}
