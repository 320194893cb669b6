//! Terminals that send and claim what no terminal should.

use crate::start;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// About 10 s of training.
const EPOCHS: usize = 200;

/// Waits for the end of the run.
fn wait_for_the_end(folder: &Path, screen: impl Fn() -> String) {
    let begin = Instant::now();
    while !folder.join("ended").exists() {
        assert!(begin.elapsed() < Duration::from_secs(120), "the run does not end:\n{}", screen());
        thread::sleep(Duration::from_millis(50));
    }
}

/// Sends bytes to a run, presses a key, sends the bytes again, and waits for the end.
fn disturb(sequence: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let terminal = start(folder.path(), EPOCHS, ("", ""));
    terminal.wait_for(&["Iteration", "Loss: Full history"]);
    terminal.bytes(sequence);
    thread::sleep(Duration::from_millis(200));
    terminal.key("Right");
    terminal.wait_for(&["Accuracy: Full history"]);
    terminal.bytes(sequence);
    wait_for_the_end(folder.path(), || terminal.screen());
    terminal.wait_for(&["test result: ok. 1 passed"]);
}

#[test]
fn a_run_ends_whatever_the_terminal_sends() {
    let sequences: [&[u8]; 5] =
        [b"\xff\xfe", b"\x1b[200~", b"\x1b[<0;99999;99999M", b"\x1b[<99999999999999999999;1;1M", b"\x1b["];
    thread::scope(|scope| {
        for sequence in sequences {
            scope.spawn(|| disturb(sequence));
        }
    });
}

#[test]
fn a_terminal_that_claims_to_be_endless_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let before = "stty rows 65535 cols 65535; ";
    let terminal = start(folder.path(), EPOCHS / 4, (before, ""));
    wait_for_the_end(folder.path(), || terminal.screen());
}
