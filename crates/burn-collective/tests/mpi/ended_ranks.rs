//! Ranks that the launcher ended after another one was killed.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time in which all processes end: the timeout, and that which the launcher gives them, on a busy machine.
pub const END: Duration = Duration::from_secs(60);

/// Whether a process runs: what its parent has not waited for yet does not.
fn runs(process: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat"));
    state.is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

/// Waits until none of the processes runs: the launcher does not wait for processes that it kills.
pub fn expect_none_left(processes: &[u32]) {
    let start = Instant::now();
    while processes.iter().any(|process| runs(*process)) {
        assert!(start.elapsed() < END, "some of processes {processes:?} are left");
        sleep(Duration::from_millis(10));
    }
}

/// Returns the ranks of a line which says that the launcher ended a rank after theirs.
pub fn ended_before(line: &str) -> Vec<usize> {
    let ranks = line.split_once("ranks [").and_then(|(_, rest)| rest.split_once("] had ended"));
    ranks.map_or_else(Vec::new, |(ranks, _)| {
        ranks.split(", ").map(|rank| rank.parse().expect("a rank is a number")).collect()
    })
}
