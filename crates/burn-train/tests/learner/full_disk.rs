//! A disk that is full while metrics are logged and while checkpoints are written.

use crate::fixture::*;
use burn_core::record::CompactRecorder;
use burn_optim::SgdConfig;
use burn_train::TrainError;
use burn_train::checkpoint::CheckpointStore;
use burn_train::metric::LossMetric;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const FOLDER: &str = "BURN_TRAIN_TEST_FULL_DISK";
/// Set where checkpoints are written in the background.
const BACKGROUND: &str = "BURN_TRAIN_TEST_FULL_DISK_BACKGROUND";

/// A model of 40 kB.
fn fit(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Result<(), TrainError> {
    let builder = builder(folder)
        .metric_train_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .resume();
    let learner = change(builder).build(Model::new(2000), SgdConfig::new().init(), 0.1);
    learner.try_fit(train_loader(), valid_loader()).map(drop)
}

fn listing(folder: &Path) -> Vec<String> {
    files(&folder.join("checkpoint"))
}

/// The test of the process whose files stay small.
#[cfg(unix)]
const ENTRY: &str = "full_disk::a_full_disk_while_saving_names_the_file_and_leaves_the_checkpoint_before";

/// Trains into a folder until a file is too large, and leaves the error there.
#[cfg(unix)]
fn run_out(folder: &Path) {
    let error = fit(folder, |builder| {
        let builder = builder.num_epochs(3);
        if env::var_os(BACKGROUND).is_some() { builder.with_background_checkpoints() } else { builder }
    });
    fs::write(folder.join("error"), error.unwrap_err().to_string()).unwrap();
}

/// No file of the process may have more than 16 KiB, so that writing a checkpoint fails in its middle.
#[cfg(unix)]
fn fails_in_the_middle_of_a_checkpoint(flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.num_epochs(1)).unwrap();
    let before = listing(folder.path());

    // Its output goes through a pipe: the limit is for files, and that of the tests may be one.
    let child = Command::new("sh")
        .args(["-c", r#"trap "" XFSZ; ulimit -f 32; exec "$0" "$@""#])
        .arg(env::current_exe().unwrap())
        .args(["--exact", ENTRY, "--test-threads=1"])
        .env(FOLDER, folder.path())
        .envs(flags.iter().map(|flag| (flag, "1")))
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let error = fs::read_to_string(folder.path().join("error")).unwrap();
    assert!(error.contains("model-2.mpk") && error.to_lowercase().contains("file too large"), "{error}");

    assert_eq!(listing(folder.path()), before, "a part of a checkpoint is left");
    let store = CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
    assert_eq!(store.newest().unwrap().unwrap().state().epoch, 1);
    fit(folder.path(), |builder| builder.num_epochs(2)).unwrap();
    assert_eq!(store.newest().unwrap().unwrap().state().epoch, 2, "with room the run goes on");
}

#[test]
#[cfg(unix)]
fn a_full_disk_while_saving_names_the_file_and_leaves_the_checkpoint_before() {
    if let Ok(folder) = env::var(FOLDER) {
        return run_out(Path::new(&folder));
    }
    fails_in_the_middle_of_a_checkpoint(&[]);
}

#[test]
#[cfg(unix)]
fn a_full_disk_while_saving_in_the_background_leaves_the_checkpoint_before() {
    fails_in_the_middle_of_a_checkpoint(&[BACKGROUND]);
}

/// `/dev/full` takes no byte.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_while_logging_names_the_file_and_leaves_the_checkpoint_before() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.num_epochs(1)).unwrap();
    fs::create_dir_all(folder.path().join("train/epoch-2")).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("train/epoch-2/Loss.log")).unwrap();
    let error = fit(folder.path(), |builder| builder.num_epochs(2)).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, TrainError::Log(_)), "{text}");
    assert!(text.contains("epoch-2/Loss.log") && text.contains("No space left"), "{text}");
    let store = CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
    assert_eq!(store.newest().unwrap().unwrap().state().epoch, 1);
}
