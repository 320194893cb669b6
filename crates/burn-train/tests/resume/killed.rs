//! A process that trains is killed with `SIGKILL` at fifty moments, and started again each time.

use crate::fixture::B;
use crate::{logs, train};
use burn_core::tensor::Backend;
use burn_train::callback::{CallbackResult, EpochInfo, TrainingCallback};
use burn_train::checkpoint::CheckpointStore;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

const FOLDER: &str = "BURN_TRAIN_TEST_ARTIFACTS";
/// Set where checkpoints are written in the background.
const BACKGROUND: &str = "BURN_TRAIN_TEST_BACKGROUND";
/// Set where the process is going to be killed.
const VICTIM: &str = "BURN_TRAIN_TEST_VICTIM";

const KILLS: u64 = 50;
/// Epochs of a process before it waits for its end, so that no run is over before the last kill.
const EPOCHS_OF_A_VICTIM: usize = 5;
const EPOCHS: usize = EPOCHS_OF_A_VICTIM * KILLS as usize + 2;

/// Waits for the end of the process at the start of the epoch after the last one that it may train.
struct WaitForTheKill {
    epochs: usize,
}

impl TrainingCallback for WaitForTheKill {
    fn on_epoch_start(&mut self, _epoch: &EpochInfo<'_>) -> CallbackResult {
        if self.epochs == 0 {
            loop {
                thread::sleep(Duration::from_secs(1));
            }
        }
        self.epochs -= 1;
        Ok(())
    }
}

/// The test of the process that is killed.
const ENTRY: &str = "killed::x_303_a_run_that_is_killed_fifty_times_ends_as_one_that_is_not";

/// Trains to the end, or to the epoch in which the process is killed, and leaves the bits of the parameters.
fn train_on(folder: &Path) {
    let is_set = |name| env::var_os(name).is_some();
    B::seed(3);
    let bits = train(folder, |builder| {
        let mut builder = builder.resume().json_lines().num_epochs(EPOCHS);
        if is_set(BACKGROUND) {
            builder = builder.with_background_checkpoints();
        }
        if is_set(VICTIM) {
            builder = builder.callback(WaitForTheKill { epochs: EPOCHS_OF_A_VICTIM });
        }
        builder
    });
    fs::write(folder.join("bits.part"), format!("{bits:?}")).unwrap();
    fs::rename(folder.join("bits.part"), folder.join("bits")).unwrap();
}

fn spawn(folder: &Path, flags: &[&str]) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", ENTRY, "--test-threads=1"])
        .env(FOLDER, folder)
        .envs(flags.iter().map(|flag| (flag, "1")))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Lets a process train to the end, and returns the bits of its parameters.
fn finish(folder: &Path, flags: &[&str]) -> String {
    assert!(spawn(folder, flags).wait().unwrap().success());
    fs::read_to_string(folder.join("bits")).unwrap()
}

/// The last epoch whose checkpoint is on the disk, by the names of the files alone.
fn last_epoch(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder.join("checkpoint")) else { return 0 };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let epochs = names.filter_map(|name| name.strip_prefix("state-")?.strip_suffix(".json")?.parse().ok());
    epochs.max().unwrap_or(0)
}

/// A share from 0 to 1, by the number of the kill.
fn share(kill: u64) -> f64 {
    let bits = kill.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    bits as f64 / f64::from(u32::MAX)
}

/// The lines of all batches and epochs in the log of JSON; each process adds some of its start and end.
fn json_lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
    let is_kept =
        |line: &&str| [r#""event":"batch""#, r#""event":"epoch""#].iter().any(|event| line.contains(event));
    text.lines().filter(is_kept).map(str::to_string).collect()
}

fn killed_fifty_times(flags: &[&str]) {
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The whole run writes its checkpoints as it goes, in the simple way.
    let expected = finish(whole.path(), &[]);

    // The time in which a process has its first checkpoint.
    let mut startup = Duration::ZERO;
    for kill in 0..KILLS {
        let before = last_epoch(killed.path());
        let (mut child, begin) = (spawn(killed.path(), &[flags, &[VICTIM]].concat()), Instant::now());
        if kill % 2 == 0 {
            // Some epochs after a new checkpoint.
            while last_epoch(killed.path()) == before {
                assert!(child.try_wait().unwrap().is_none(), "the process ended by itself");
                thread::sleep(Duration::from_micros(200));
            }
            startup = begin.elapsed();
            thread::sleep(Duration::from_millis(20).mul_f64(share(kill)));
        } else {
            // Any time from its start: while it loads, trains or saves.
            thread::sleep(startup.mul_f64(2.0 * share(kill)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let store = CheckpointStore::open(killed.path().join("checkpoint")).unwrap();
        let newest = store.newest().unwrap().unwrap().state().epoch;
        assert!(newest >= before, "kill {kill} lost the checkpoint of epoch {before}");
    }
    assert!(!killed.path().join("bits").exists(), "the run was over before the last kill");

    assert_eq!(finish(killed.path(), flags), expected);
    assert!(logs(killed.path()) == logs(whole.path()), "other metrics in the logs");
    assert!(json_lines(killed.path()) == json_lines(whole.path()), "other lines of JSON");
    let left = fs::read_dir(killed.path().join("checkpoint")).unwrap().count();
    assert_eq!(left, 8, "two checkpoints of four files, and nothing of those that were cut off");
}

#[test]
fn x_303_a_run_that_is_killed_fifty_times_ends_as_one_that_is_not() {
    if let Ok(folder) = env::var(FOLDER) {
        return train_on(Path::new(&folder));
    }
    killed_fifty_times(&[]);
}

#[test]
fn x_303_a_killed_run_with_background_checkpoints_ends_as_one_that_is_not() {
    killed_fifty_times(&[BACKGROUND]);
}
