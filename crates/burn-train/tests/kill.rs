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
const KILLS: u64 = 40;

/// What a part of a checkpoint holds: its epoch and round, often enough to take some writes.
fn content(part: Part, epoch: usize, round: u64) -> String {
    format!("{part:?} of epoch {epoch} in round {round}\n").repeat(20_000)
}

/// Goes through the same three epochs for ever, so that every save but the first replaces one.
fn write_for_ever(folder: &Path) -> ! {
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
    }
    unreachable!("rounds do not end")
}

/// The body of the process that is killed; without the folder in its environment it does nothing.
#[test]
fn child() {
    if let Ok(folder) = env::var(FOLDER) {
        write_for_ever(Path::new(&folder));
    }
}

#[test]
fn x_303_the_newest_checkpoint_survives_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mut last = 0;
    for kill in 0..KILLS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "child", "--test-threads=1"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Delays that no step of the child is in time with.
        thread::sleep(Duration::from_micros(20_000 + kill * 7_919 % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();

        let store = CheckpointStore::open(folder.path()).unwrap();
        let Some(newest) = store.newest().unwrap() else {
            assert_eq!(last, 0, "a checkpoint was there before kill {kill}");
            continue;
        };
        let (epoch, round) = (newest.state().epoch, newest.state().seed);
        assert!(round >= last, "after kill {kill} the newest is of round {round}, it was {last}");
        for part in Part::ALL {
            let text = fs::read_to_string(newest.path(part).with_extension("mpk")).unwrap();
            assert!(text == content(part, epoch, round), "{part:?} after kill {kill} is mixed or cut");
        }
        last = round;
    }
    assert!(last > KILLS, "the child came to round {last}: it was killed before it could write");
}
