use crate::fixture::*;
use burn_core::record::CompactRecorder;
use burn_dataset::InMemDataset;
use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder};
use burn_optim::SgdConfig;
use burn_train::checkpoint::CheckpointStore;
use burn_train::metric::LossMetric;
use burn_train::{Split, TrainError};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const EPOCHS: usize = 4;

/// Twelve batches of five points, of which one of batch 4 is NaN.
fn loader() -> Arc<dyn DataLoader<Batch<B>>> {
    let points = (0..60).map(|index| if index == 17 { (f32::NAN, 1.0) } else { (0.5, -0.5) }).collect();
    DataLoaderBuilder::new(batch::<B>).batch_size(5).build(InMemDataset::new(points))
}

fn fit(
    folder: &Path,
    data: Arc<dyn DataLoader<Batch<B>>>,
    change: impl FnOnce(Builder) -> Builder,
) -> Result<(), TrainError> {
    let builder = builder(folder).with_file_checkpointer(CompactRecorder::new()).num_epochs(EPOCHS);
    let learner = change(builder).build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.try_fit(data, valid_loader()).map(drop)
}

fn with_loss(builder: Builder) -> Builder {
    builder.metric_train_numeric(LossMetric::new())
}

fn epochs(folder: &Path) -> Vec<usize> {
    let store = CheckpointStore::open(folder.join("checkpoint")).unwrap();
    store.complete().unwrap().iter().map(|saved| saved.state().epoch).collect()
}

#[test]
fn a_loss_that_is_nan_ends_the_run_with_epoch_iteration_and_metric() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), train_loader(), |builder| with_loss(builder).num_epochs(2)).unwrap();
    assert_eq!(epochs(folder.path()), [1, 2]);
    let before = fs::read(folder.path().join("checkpoint/model-2.mpk")).unwrap();

    let error = fit(folder.path(), loader(), |builder| with_loss(builder).checkpoint(2)).unwrap_err();
    let TrainError::Nan { split: Split::Train, epoch: 3, iteration: 4, metric } = &error else {
        panic!("{error}")
    };
    assert_eq!(metric, "Loss");
    assert!(error.to_string().contains("epoch 3, iteration 4: the metric `Loss` is NaN"), "{error}");
    assert_eq!(epochs(folder.path()), [1, 2]);
    assert_eq!(fs::read(folder.path().join("checkpoint/model-2.mpk")).unwrap(), before);
}

#[test]
fn a_run_that_continues_keeps_the_good_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), train_loader(), |builder| with_loss(builder).num_epochs(2)).unwrap();
    fit(folder.path(), loader(), |builder| {
        with_loss(builder).checkpoint(2).nan_policy(burn_train::NanPolicy::Continue)
    })
    .unwrap();
    assert_eq!(epochs(folder.path()), [1, 2]);
    // All batches of all epochs are there.
    let log = fs::read_to_string(folder.path().join(format!("train/epoch-{EPOCHS}/Loss.log"))).unwrap();
    assert_eq!(log.lines().count(), 12);
}

#[test]
fn without_a_metric_the_checkpoint_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = fit(folder.path(), loader(), |builder| builder).unwrap_err();
    assert!(
        matches!(&error, TrainError::NanCheckpoint { epoch: 1, key } if key.starts_with("model: ")),
        "{error}"
    );
    assert!(epochs(folder.path()).is_empty());
}

#[test]
fn training_data_without_an_item_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let empty = DataLoaderBuilder::new(batch::<B>).batch_size(5).build(InMemDataset::new(Vec::new()));
    let error = fit(folder.path(), empty, |builder| builder).unwrap_err();
    assert!(matches!(error, TrainError::NoBatches { split: Split::Train, epoch: 1 }), "{error}");
    assert!(epochs(folder.path()).is_empty());
}

/// As many items as can be counted.
struct Endless;

impl burn_dataset::Dataset<(f32, f32)> for Endless {
    fn get(&self, _index: usize) -> Option<(f32, f32)> {
        Some((1.0, 1.0))
    }

    fn len(&self) -> usize {
        usize::MAX
    }
}

#[test]
fn more_items_than_can_be_shuffled_are_an_error() {
    for workers in [0, 2] {
        let folder = tempfile::tempdir().unwrap();
        let loader = DataLoaderBuilder::new(batch::<B>).batch_size(5).shuffle(1).num_workers(workers);
        let error = fit(folder.path(), loader.build(Endless), |builder| builder).unwrap_err();
        assert!(matches!(error, TrainError::Data { split: Split::Train, epoch: 1, .. }), "{error}");
        assert!(error.to_string().contains("cannot be shuffled"), "{error}");
    }
}
