//! A learner on several ranks, against one without ranks.

use burn::backend::{Autodiff, NdArray};
use burn::collective::{Communicator, DataParallel, Local};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder, DataLoaderIterator};
use burn::data::dataset::InMemDataset;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientClippingConfig, SgdConfig};
use burn::record::{BinFileRecorder, FullPrecisionSettings};
use burn::tensor::{AutodiffBackend, Backend, Tensor};
use burn::train::history::{Aggregate, Direction};
use burn::train::metric::LossMetric;
use burn::train::renderer::{Interrupter, MetricState, MetricsRenderer, TrainingProgress};
use burn::train::{
    EarlyStopping, Learner, LearnerBuilder, RegressionOutput, Split, TrainError, TrainOutput, TrainStep,
    ValidStep,
};
use burn_train::metric::NumericEntry;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::counting_engine::CountingEngine;
use crate::fixture::files;

type F = NdArray<f64>;
type A = Autodiff<F>;
type Batch<B> = Tensor<B, 2>;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
    /// Whether gradients are reduced while the backward pass runs.
    overlaps: bool,
}

impl<B: Backend> Model<B> {
    fn new(overlaps: bool) -> Self {
        let device = Default::default();
        let (first, second) = (LinearConfig::new(2, 6).init(&device), LinearConfig::new(6, 1).init(&device));
        Model { first, second, overlaps }
    }

    fn forward(&self, inputs: Batch<B>) -> RegressionOutput<B> {
        let targets = (inputs.clone().sum_dim(1) * 2.0).sin();
        let output = self.second.forward(self.first.forward(inputs).tanh());
        RegressionOutput::new((output.clone() - targets.clone()).square().mean(), output, targets)
    }

    fn values(&self) -> Vec<f64> {
        let weights = [&self.first.weight, &self.second.weight];
        weights.iter().flat_map(|weight| weight.val().into_data().to_f64()).collect()
    }
}

impl<B: AutodiffBackend> TrainStep<Batch<B>, RegressionOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward(batch);
        if self.overlaps {
            TrainOutput::from_loss(self, item.loss.clone(), item)
        } else {
            TrainOutput::new(self, item.loss.backward(), item)
        }
    }
}

impl<B: Backend> ValidStep<Batch<B>, RegressionOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> RegressionOutput<B> {
        self.forward(batch)
    }
}

fn batch<B: Backend>(items: Vec<usize>) -> Batch<B> {
    let rows = items.len();
    assert!(rows > 0, "no batch is empty");
    let numbers: Vec<f64> =
        items.iter().flat_map(|item| [(*item as f64 * 0.7).sin(), (*item as f64 * 1.3).cos()]).collect();
    Tensor::<B, 1>::from_data(numbers.as_slice(), &Default::default()).reshape([rows, 2])
}

const ITEMS: usize = 50;
const BATCH: usize = 8;

/// The last batch has two items, fewer than some numbers of ranks.
fn loader<B: Backend>(seed: Option<u64>) -> Arc<dyn DataLoader<Batch<B>>> {
    let builder = DataLoaderBuilder::new(batch::<B>).batch_size(BATCH);
    let builder =
        seed.map_or(DataLoaderBuilder::new(batch::<B>).batch_size(BATCH), |seed| builder.shuffle(seed));
    builder.build(InMemDataset::new((0..ITEMS).collect()))
}

type Builder = LearnerBuilder<A, RegressionOutput<A>, RegressionOutput<F>>;
type Built = Learner<
    A,
    RegressionOutput<A>,
    RegressionOutput<F>,
    Model<A>,
    burn::optim::OptimizerAdaptor<burn::optim::Adam>,
    f64,
>;

fn learner(folder: &Path, start: &Model<A>, change: &dyn Fn(Builder) -> Builder) -> Built {
    let builder = LearnerBuilder::new(folder)
        .renderer(Shown { stop_at: None, interrupter: Interrupter::new() })
        .with_application_logger(None)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(BinFileRecorder::<FullPrecisionSettings>::new())
        .num_epochs(4);
    change(builder).build(start.clone(), AdamConfig::new().init(), 0.05)
}

/// Shows nothing, and stops the run after a batch of the training phase.
struct Shown {
    stop_at: Option<(usize, usize)>,
    interrupter: Interrupter,
}

impl MetricsRenderer for Shown {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, item: TrainingProgress) {
        if Some((item.epoch, item.iteration)) == self.stop_at {
            self.interrupter.stop("enough");
        }
    }
    fn render_valid(&mut self, _item: TrainingProgress) {}
}

type Outcome = Result<Vec<f64>, TrainError>;

fn alone(folder: &Path, start: &Model<A>, change: &dyn Fn(Builder) -> Builder) -> Outcome {
    let model = learner(folder, start, change).try_fit(loader::<A>(Some(3)), loader::<F>(None))?;
    Ok(model.values())
}

/// Runs on ranks, of which only rank 0 has the model that all begin with.
fn on_ranks(
    ranks: usize,
    folder: &Path,
    start: &Model<A>,
    change: &(dyn Fn(Builder) -> Builder + Sync),
) -> Vec<Outcome> {
    let results = Local::run(ranks, |group: Communicator| {
        let own = if group.rank() == 0 { start.clone() } else { Model::new(start.overlaps) };
        let parallel = DataParallel::new(group).with_bucket_bytes(64);
        let learner = learner(folder, &own, change).with_data_parallel(parallel);
        Ok(learner.try_fit(loader::<A>(Some(3)), loader::<F>(None))?.values())
    });
    results.unwrap()
}

fn assert_close(found: &[f64], expected: &[f64], least: f64) {
    assert_eq!(found.len(), expected.len());
    let error = found.iter().zip(expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error < least, "{error}");
}

/// Entries of the logs of a metric, by file.
fn entries(folder: &Path) -> Vec<(String, Vec<NumericEntry>)> {
    let logs = files(folder).into_iter().filter(|name| name.ends_with("Loss.log"));
    let read = |name: String| {
        let text = fs::read_to_string(folder.join(&name)).unwrap();
        (name, text.lines().map(|line| line.parse().unwrap()).collect())
    };
    logs.map(read).collect()
}

#[test]
fn x_503_a_learner_on_ranks_trains_the_model_of_one() {
    let expected_folder = tempfile::tempdir().unwrap();
    for overlaps in [false, true] {
        let start = Model::new(overlaps);
        let expected = alone(expected_folder.path(), &start, &|builder| builder).unwrap();
        for ranks in [1, 2, 3, 4] {
            let folder = tempfile::tempdir().unwrap();
            let found: Vec<Vec<f64>> = on_ranks(ranks, folder.path(), &start, &|builder| builder)
                .into_iter()
                .map(Result::unwrap)
                .collect();
            for result in &found {
                assert_eq!(result, &found[0], "ranks have other models");
            }
            assert_close(&found[0], &expected, if ranks == 1 { f64::MIN_POSITIVE } else { 1e-9 });
            // Logs have the means over all items, and there is one of each.
            let (found, expected) = (entries(folder.path()), entries(expected_folder.path()));
            assert_eq!(found.len(), 8);
            for ((name, found), (expected_name, expected)) in found.iter().zip(&expected) {
                assert_eq!((name, found.len()), (expected_name, ITEMS.div_ceil(BATCH)));
                for (found, expected) in found.iter().zip(expected) {
                    assert_eq!(found.count, expected.count);
                    assert!((found.value - expected.value).abs() < 1e-9);
                }
            }
            let files = files(folder.path());
            assert_eq!(files.iter().filter(|name| name.contains("model-")).count(), 2, "{files:?}");
        }
        fs::remove_dir_all(expected_folder.path()).unwrap();
    }
}

#[test]
fn x_503_a_stopped_run_goes_on_with_other_ranks() {
    let start = Model::new(true);
    let whole = tempfile::tempdir().unwrap();
    let expected: Vec<Vec<f64>> =
        on_ranks(3, whole.path(), &start, &|builder| builder).into_iter().map(Result::unwrap).collect();
    // Rank 0 alone is asked, after a batch in the middle of an epoch, and after its last one.
    for stop_at in [(2, 3), (3, ITEMS.div_ceil(BATCH))] {
        for resumed in [3, 1, 4] {
            let folder = tempfile::tempdir().unwrap();
            let stop = |builder: Builder| {
                let interrupter = builder.interrupter();
                builder.renderer(Shown { stop_at: Some(stop_at), interrupter })
            };
            let stopped = on_ranks(3, folder.path(), &start, &stop);
            let stopped: Vec<Vec<f64>> = stopped.into_iter().map(Result::unwrap).collect();
            assert!(stopped[0] == stopped[2] && stopped[0] != expected[0]);
            let found = on_ranks(resumed, folder.path(), &Model::new(true), &|builder| builder.resume());
            for result in found {
                let result = result.unwrap();
                if resumed == 3 {
                    assert_eq!(result, expected[0]);
                }
                assert_close(&result, &expected[0], 1e-9);
            }
        }
    }
}

#[test]
fn x_503_ranks_stop_early_together() {
    let start = Model::new(true);
    let folder = tempfile::tempdir().unwrap();
    let early = |builder: Builder| {
        let stopping = EarlyStopping::new("Loss", Aggregate::Mean, Direction::Highest, Split::Valid, 1);
        builder.num_epochs(50).early_stopping(stopping.with_restore_best(true))
    };
    let found: Vec<Vec<f64>> =
        on_ranks(3, folder.path(), &start, &early).into_iter().map(Result::unwrap).collect();
    assert!(found[0] == found[1] && found[0] == found[2]);
    let epochs = entries(folder.path()).iter().filter(|(name, _)| name.starts_with("valid")).count();
    assert!(epochs < 50, "{epochs}");
}

/// Trains with SGD, which a sum of gradients in place of a mean changes as the rate does.
fn with_sgd(
    folder: &Path,
    start: &Model<A>,
    (items, batch_size): (usize, usize),
    (accumulated, rate): (usize, f64),
    ranks: Option<DataParallel>,
) -> Outcome {
    let train = DataLoaderBuilder::new(batch::<A>).batch_size(batch_size).shuffle(3);
    let learner = LearnerBuilder::new(folder)
        .renderer(Shown { stop_at: None, interrupter: Interrupter::new() })
        .with_application_logger(None)
        .metric_valid_numeric(LossMetric::new())
        .grads_accumulation(accumulated)
        .grad_clipping(GradientClippingConfig::Value(0.3 * accumulated as f64))
        .num_epochs(3)
        .build(start.clone(), SgdConfig::new().init(), rate);
    let learner = match ranks {
        Some(parallel) => learner.with_data_parallel(parallel),
        None => learner,
    };
    let model = learner.try_fit(train.build(InMemDataset::new((0..items).collect())), loader::<F>(None))?;
    Ok(model.values())
}

#[test]
fn x_503_ranks_that_accumulate_gradients_train_the_model_of_one_device_with_the_large_batch() {
    for overlaps in [false, true] {
        let start = Model::new(overlaps);
        let folder = tempfile::tempdir().unwrap();
        let expected = with_sgd(folder.path(), &start, (48, 12), (1, 0.3), None).unwrap();
        assert_ne!(expected, start.values());
        for ranks in [1, 2, 3, 4] {
            let results = Local::run(ranks, |group| {
                let parallel = DataParallel::new(group).with_bucket_bytes(64);
                // The mean of a batch is a third of the sum of the means of its thirds.
                with_sgd(folder.path(), &start, (48, 4), (3, 0.1), Some(parallel))
            });
            for result in results.unwrap() {
                assert_close(&result.unwrap(), &expected, 1e-12);
            }
        }
    }
}

/// The last step of an epoch has one batch of three, whose three items are fewer than some numbers of ranks.
#[test]
fn x_503_gradients_that_wait_at_the_end_of_an_epoch_are_those_of_all_ranks() {
    let start = Model::new(true);
    let folder = tempfile::tempdir().unwrap();
    let expected = with_sgd(folder.path(), &start, (27, 4), (3, 0.1), None).unwrap();
    for ranks in [1, 2, 3, 4] {
        let results = Local::run(ranks, |group| {
            with_sgd(folder.path(), &start, (27, 4), (3, 0.1), Some(DataParallel::new(group)))
        });
        for result in results.unwrap() {
            assert_close(&result.unwrap(), &expected, 1e-12);
        }
    }
}

#[test]
fn x_503_a_learner_reduces_gradients_once_for_each_step() {
    let start = Model::new(true);
    let folder = tempfile::tempdir().unwrap();
    let bytes = |accumulated: usize| {
        let results = Local::run(2, |group| {
            let engine = CountingEngine::new(group.engine().clone());
            let bytes = engine.bytes.clone();
            let parallel = DataParallel::new(Communicator::from_engine(Arc::new(engine)));
            with_sgd(folder.path(), &start, (48, 4), (accumulated, 0.1), Some(parallel)).unwrap();
            bytes.load(Ordering::Relaxed)
        });
        results.unwrap().remove(0)
    };
    let [each, thirds, quarters] = [1, 3, 4].map(bytes);
    // 12, 4 and 3 steps in each of 3 epochs, each with 25 numbers of 8 bytes; ranks agree for each batch too.
    let step = (thirds - quarters) / 3;
    assert!(step >= 25 * 8, "{step}");
    assert!(each - thirds >= 3 * 7 * step, "{each} {thirds} {quarters}");
}

/// A loader that cannot be divided.
struct Whole(Arc<dyn DataLoader<Batch<A>>>);

impl DataLoader<Batch<A>> for Whole {
    fn iter_epoch<'a>(&'a self, epoch: usize) -> Box<dyn DataLoaderIterator<Batch<A>> + 'a> {
        self.0.iter_epoch(epoch)
    }
    fn next_epoch(&self) -> usize {
        self.0.next_epoch()
    }
    fn set_next_epoch(&self, epoch: usize) {
        self.0.set_next_epoch(epoch);
    }
    fn num_items(&self) -> usize {
        self.0.num_items()
    }
    fn num_batches(&self) -> usize {
        self.0.num_batches()
    }
}

#[test]
fn x_503_runs_that_ranks_cannot_share_are_errors_on_all() {
    let folder = tempfile::tempdir().unwrap();
    let texts = |run: &(dyn Fn(Built) -> Result<Model<A>, TrainError> + Sync),
                 change: &(dyn Fn(Builder) -> Builder + Sync)| {
        let results = Local::run(2, |group| {
            let learner = learner(folder.path(), &Model::new(true), change);
            run(learner.with_data_parallel(DataParallel::new(group))).map(drop).unwrap_err().to_string()
        });
        results.unwrap()
    };
    let whole = |learner: Built| learner.try_fit(Arc::new(Whole(loader::<A>(None))), loader::<F>(None));
    for text in texts(&whole, &|builder| builder) {
        assert!(text.contains("which this loader cannot"), "{text}");
    }
    let short = |learner: Built| {
        let builder = DataLoaderBuilder::new(batch::<A>).batch_size(BATCH);
        learner.try_fit(builder.build(InMemDataset::new(vec![0])), loader::<F>(None))
    };
    for (rank, text) in texts(&short, &|builder| builder).into_iter().enumerate() {
        assert!(
            text.contains(&format!("too few items for rank {rank}; expected one for each of 2 ranks, got 1")),
            "{text}"
        );
    }
    let fit = |learner: Built| learner.try_fit(loader::<A>(None), loader::<F>(None));
    let devices = |builder: Builder| builder.devices(vec![Default::default(); 2]);
    for text in texts(&fit, &devices) {
        assert!(text.contains("a rank trains on one device"), "{text}");
    }
    // Rank 0 cannot begin with a checkpoint that is not there: rank 1 hears of it.
    let missing = texts(&fit, &|builder| builder.checkpoint(7));
    assert!(missing[0].contains("checkpoint"), "{}", missing[0]);
    assert!(missing[1].contains("rank 0"), "{}", missing[1]);
}
