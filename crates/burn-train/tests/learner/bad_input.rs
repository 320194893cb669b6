use crate::fixture::*;
use burn_core::record::CompactRecorder;
use burn_dataset::Dataset;
use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder};
use burn_optim::SgdConfig;
use burn_train::TrainError;
use burn_train::checkpoint::CheckpointError;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A hundred items, of which one is not there or panics.
struct Broken {
    at: usize,
    panics: bool,
}

impl Dataset<(f32, f32)> for Broken {
    fn get(&self, index: usize) -> Option<(f32, f32)> {
        assert!(!self.panics || index != self.at, "this item is broken");
        (index != self.at).then_some((1.0, -1.0))
    }

    fn len(&self) -> usize {
        100
    }
}

fn loader(broken: Broken, num_workers: usize) -> Arc<dyn DataLoader<Batch<B>>> {
    DataLoaderBuilder::new(batch::<B>).batch_size(10).num_workers(num_workers).build(broken)
}

#[test]
fn data_that_is_not_there_ends_the_run_with_its_index() {
    for (panics, workers) in [(false, 0), (false, 3), (true, 0), (true, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let learner = builder(folder.path()).build(Model::new(4), SgdConfig::new().init(), 0.1);
        let error = learner.try_fit(loader(Broken { at: 37, panics }, workers), valid_loader()).unwrap_err();
        assert!(matches!(error, TrainError::Data { epoch: 1, .. }));
        assert!(error.to_string().contains("index 37"), "{error}");
    }
}

#[test]
#[should_panic(expected = "train data of epoch 1: the dataset returned no item at index 37")]
fn fit_panics_with_the_text_of_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.fit(loader(Broken { at: 37, panics: false }, 2), valid_loader());
}

fn train(
    folder: &Path,
    hidden: usize,
    change: impl FnOnce(Builder) -> Builder,
) -> Result<Model<B>, TrainError> {
    let builder = builder(folder).with_file_checkpointer(CompactRecorder::new());
    let learner = change(builder).build(Model::new(hidden), SgdConfig::new().init(), 0.1);
    learner.try_fit(train_loader(), valid_loader())
}

#[test]
fn a_checkpoint_of_another_architecture_is_an_error_with_file_and_key() {
    let folder = tempfile::tempdir().unwrap();
    train(folder.path(), 4, |builder| builder).unwrap();
    let error = train(folder.path(), 5, |builder| builder.checkpoint(1)).unwrap_err().to_string();
    assert!(error.contains("model-1.mpk") && error.contains("linear1.weight"), "{error}");
}

#[test]
fn a_checkpoint_that_is_missing_or_damaged_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    train(folder.path(), 4, |builder| builder.num_epochs(2)).unwrap();
    let error = train(folder.path(), 4, |builder| builder.checkpoint(7)).unwrap_err().to_string();
    assert!(error.contains("no complete checkpoint of epoch 7; it has those of epoch 1, 2"), "{error}");

    let path = folder.path().join("checkpoint/optim-2.mpk");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = train(folder.path(), 4, |builder| builder.checkpoint(2)).unwrap_err();
    assert!(matches!(error, TrainError::Checkpoint(CheckpointError::Damaged { .. })), "{error}");
    assert!(error.to_string().contains("optim-2.mpk"), "{error}");
    train(folder.path(), 4, |builder| builder.resume().num_epochs(3)).unwrap();
}

#[test]
fn what_a_learner_cannot_do_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).checkpoint(1).build(Model::new(4), SgdConfig::new().init(), 0.1);
    let error = learner.try_fit(train_loader(), valid_loader()).unwrap_err();
    assert!(error.to_string().contains("with_file_checkpointer"), "{error}");
}

#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("train"), "a file where a folder should be").unwrap();
    let learner = builder(folder.path()).metric_train_numeric(burn_train::metric::LossMetric::new()).build(
        Model::new(4),
        SgdConfig::new().init(),
        0.1,
    );
    let error = learner.try_fit(train_loader(), valid_loader()).unwrap_err();
    assert!(matches!(error, TrainError::Log(_)) && error.to_string().contains("train"), "{error}");
}

#[test]
fn an_artifact_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a-file");
    fs::write(&file, "not a folder").unwrap();
    for artifacts in [file.clone(), file.join("below")] {
        let error = train(&artifacts, 4, |builder| builder).unwrap_err();
        assert!(matches!(error, TrainError::Log(_) | TrainError::Checkpoint(_)), "{error}");
        assert!(error.to_string().contains("a-file"), "{error}");
    }
}
