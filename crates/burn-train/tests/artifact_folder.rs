//! Artifact folders that another run has, that a killed one has left, and that are removed during a run. The
//! log of the program is one for the process, so the tests take turns.

#[path = "fixture/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod fixture;

use burn_core::record::CompactRecorder;
use burn_optim::SgdConfig;
use burn_train::callback::{CallbackResult, EpochInfo, TrainingCallback};
use burn_train::logger::FileApplicationLogger;
use burn_train::metric::LossMetric;
use burn_train::{LearnerBuilder, TrainError};
use fixture::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn fit(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Result<(), TrainError> {
    let builder: Builder = LearnerBuilder::new(folder)
        .renderer(Silent)
        .with_application_logger(Some(Box::new(FileApplicationLogger::new(folder.join("experiment.log")))))
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new());
    let learner = change(builder).build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.try_fit(train_loader(), valid_loader()).map(drop)
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("experiment.log")).unwrap()
}

/// Starts another run in the folder of this one.
struct SecondRun(PathBuf);

impl TrainingCallback for SecondRun {
    fn on_epoch_start(&mut self, _epoch: &EpochInfo<'_>) -> CallbackResult {
        let error = fit(&self.0, |builder| builder).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, TrainError::FolderInUse { .. }), "{text}");
        assert!(text.contains(&format!("process {} on ", std::process::id())), "{text}");
        Ok(())
    }
}

#[test]
fn a_second_run_in_the_folder_is_an_error_that_names_the_first() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.num_epochs(2).callback(SecondRun(folder.path().to_path_buf())))
        .unwrap();
    assert!(!folder.path().join("run.lock").exists());
    fit(folder.path(), |builder| builder.resume().num_epochs(3)).unwrap();
}

#[test]
fn the_lock_of_a_process_that_is_gone_is_taken_over() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.lock"), "process 4194304 on workstation\n").unwrap();
    fit(folder.path(), |builder| builder).unwrap();
    let log = log(folder.path());
    assert!(
        log.contains("WARN") && log.contains("the lock of process 4194304 on workstation is taken over"),
        "{log}"
    );
}

/// Removes the folder after the first epoch.
struct Remove(PathBuf);

impl TrainingCallback for Remove {
    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        if epoch.epoch == 1 {
            fs::remove_dir_all(&self.0)?;
        }
        Ok(())
    }
}

#[test]
fn a_folder_that_is_removed_during_a_run_is_made_anew_with_a_warning() {
    let _alone = alone();
    for background in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        fit(&path, |builder| {
            let builder = builder.num_epochs(3).callback(Remove(path.clone()));
            if background { builder.with_background_checkpoints() } else { builder }
        })
        .unwrap();
        let log = log(&path);
        assert!(log.contains("WARN") && log.contains(", was removed during the run"), "{log}");
        assert!(path.join("checkpoint/model-3.mpk").exists());
        assert!(path.join("train/epoch-3/Loss.log").exists());
    }
}

#[test]
fn a_resume_falls_back_to_the_newest_whole_checkpoint_and_logs_it() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.num_epochs(3)).unwrap();
    fs::remove_file(folder.path().join("checkpoint/model-3.mpk")).unwrap();
    fs::create_dir(folder.path().join("checkpoint/.saving-3")).unwrap();
    fit(folder.path(), |builder| builder.resume().num_epochs(4)).unwrap();
    let log = log(folder.path());
    assert!(
        log.contains("that of epoch 3 lacks files") && log.contains("The newest whole one: epoch 2"),
        "{log}"
    );
    assert!(log.contains("the run goes on epoch=3"), "{log}");
    assert!(!folder.path().join("checkpoint/.saving-3").exists());
}
