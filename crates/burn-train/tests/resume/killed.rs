//! A process that trains is killed again and again, and started again each time.

use crate::fixture::B;
use crate::train;
use burn_core::tensor::Backend;
use burn_train::checkpoint::CheckpointStore;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use std::{env, fs};

const FOLDER: &str = "BURN_TRAIN_TEST_ARTIFACTS";
/// Set where checkpoints are written in the background.
const BACKGROUND: &str = "BURN_TRAIN_TEST_BACKGROUND";
/// A kill comes after a new checkpoint at the earliest, so there are about as many.
const EPOCHS: usize = 52;
const KILLS: u64 = 50;

/// The body of the process that is killed; without the folder in its environment it does nothing.
#[test]
fn child() {
    if let Ok(folder) = env::var(FOLDER) {
        let folder = PathBuf::from(folder);
        B::seed(3);
        let bits = train(&folder, |builder| {
            let builder = builder.resume().num_epochs(EPOCHS);
            if env::var_os(BACKGROUND).is_some() { builder.with_background_checkpoints() } else { builder }
        });
        fs::write(folder.join("bits.part"), format!("{bits:?}")).unwrap();
        fs::rename(folder.join("bits.part"), folder.join("bits")).unwrap();
    }
}

fn spawn(folder: &Path, background: bool) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--test-threads=1"])
        .env(FOLDER, folder)
        .envs(background.then_some((BACKGROUND, "1")))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The last epoch whose checkpoint is on the disk, by the names of the files alone.
fn last_epoch(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder.join("checkpoint")) else { return 0 };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let epochs = names.filter_map(|name| name.strip_prefix("state-")?.strip_suffix(".json")?.parse().ok());
    epochs.max().unwrap_or(0)
}

/// A delay of up to ten milliseconds, about two epochs, by the number of the kill.
fn delay(kill: u64) -> Duration {
    Duration::from_micros((kill.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % 10_000)
}

fn killed_again_and_again(background: bool) {
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The whole run writes its checkpoints as it goes, in the simple way.
    assert!(spawn(whole.path(), false).wait().unwrap().success());
    let expected = fs::read_to_string(whole.path().join("bits")).unwrap();

    let mut kills = 0;
    while !killed.path().join("bits").exists() {
        let (mut child, before) = (spawn(killed.path(), background), last_epoch(killed.path()));
        if kills >= KILLS {
            assert!(child.wait().unwrap().success());
            break;
        }
        while last_epoch(killed.path()) == before && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(delay(kills));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let store = CheckpointStore::open(killed.path().join("checkpoint")).unwrap();
        let newest = store.newest().unwrap().unwrap().state().epoch;
        assert!(newest > before || newest == EPOCHS, "kill {kills} lost a checkpoint");
    }
    assert!(kills > 4, "the run was over before it could be killed");
    assert_eq!(fs::read_to_string(killed.path().join("bits")).unwrap(), expected);
}

#[test]
fn x_303_a_run_that_is_killed_again_and_again_ends_as_one_that_is_not() {
    killed_again_and_again(false);
}

#[test]
fn x_303_a_killed_run_with_background_checkpoints_ends_as_one_that_is_not() {
    killed_again_and_again(true);
}
