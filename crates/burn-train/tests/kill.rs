//! A process that writes checkpoints is killed again and again.

use burn_train::checkpoint::{CheckpointState, CheckpointStore, Part};
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const FOLDER: &str = "BURN_TRAIN_TEST_CHECKPOINTS";
/// A file beside the folder that exists once the child has saved a checkpoint.
const READY: &str = "BURN_TRAIN_TEST_READY";
const KILLS: u64 = 40;

/// Content of a part of a checkpoint: its epoch and round, often enough to take some writes.
fn content(part: Part, epoch: usize, round: u64) -> String {
    format!("{part:?} of epoch {epoch} in round {round}\n").repeat(5_000)
}

/// Goes through the same three epochs for ever, so that every save but the first replaces one.
fn write_for_ever(folder: &Path, ready: &Path) -> ! {
    let store = CheckpointStore::open(folder).unwrap();
    let begun = store.newest().unwrap().map_or(0, |saved| saved.state().seed);
    for round in begun + 1.. {
        let epoch = round as usize % 3 + 1;
        let state = CheckpointState { epoch, seed: round, ..Default::default() };
        let write = &mut |part, path: PathBuf| {
            let mut file = fs::File::create(path.with_extension("mpk")).unwrap();
            for piece in content(part, epoch, round).as_bytes().chunks(8192) {
                file.write_all(piece).unwrap();
            }
            file.sync_all().unwrap();
            Ok(())
        };
        store.save(state, write).unwrap();
        fs::write(ready, "").unwrap();
    }
    unreachable!("rounds do not end")
}

#[test]
fn x_303_the_newest_checkpoint_survives_kills() {
    // This test in the process that is killed.
    if let (Ok(folder), Ok(ready)) = (env::var(FOLDER), env::var(READY)) {
        write_for_ever(Path::new(&folder), Path::new(&ready));
    }
    let folder = tempfile::tempdir().unwrap();
    let (checkpoints, ready) = (folder.path().join("checkpoint"), folder.path().join("ready"));
    let mut last = 0;
    for kill in 0..KILLS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "x_303_the_newest_checkpoint_survives_kills", "--test-threads=1"])
            .envs([(FOLDER, &checkpoints), (READY, &ready)])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while !ready.exists() {
            assert!(child.try_wait().unwrap().is_none(), "the child ended by itself");
            thread::sleep(Duration::from_millis(1));
        }
        // Delays that no step of the child is in time with.
        thread::sleep(Duration::from_micros(kill * 7_919 % 30_000));
        child.kill().unwrap();
        child.wait().unwrap();
        fs::remove_file(&ready).unwrap();

        let newest = CheckpointStore::open(&checkpoints).unwrap().newest().unwrap().expect("one was saved");
        let (epoch, round) = (newest.state().epoch, newest.state().seed);
        assert!(round > last, "after kill {kill} the newest is of round {round}, it was {last}");
        for part in Part::ALL {
            let text = fs::read_to_string(newest.path(part).with_extension("mpk")).unwrap();
            assert!(text == content(part, epoch, round), "{part:?} after kill {kill} is mixed or cut");
        }
        last = round;
    }
}
