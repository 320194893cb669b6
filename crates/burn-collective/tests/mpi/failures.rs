//! Programs that fail: each process gets the error, and all of them end.

use crate::tensors::{numbers, vector};
use crate::{ERRORS, errors, mpirun};
use burn::collective::{Communicator, Reduction};
use std::time::{Duration, Instant};

pub fn ranks_that_differ(group: &Communicator) {
    let last = group.world_size() - 1;
    let dim = if group.rank() == last { 7 } else { 0 };
    let error = group.all_gather(vector(&[1.0]), dim).unwrap_err().to_string();
    assert!(error.contains(&format!("rank {last} gave a wrong dim")), "{error}");
    // A wrong argument leaves the ranks in step; a wrong shape does not.
    let count = if group.rank() == last { 3 } else { 2 };
    let error = group.all_reduce(vector(&numbers(0, count)), Reduction::Sum).unwrap_err();
    let expected = format!("ranks differ in the shape; expected [2] as on rank 0, got [3] on rank {last}");
    assert!(error.to_string().contains(&expected), "{error}");
    assert_eq!(group.barrier().unwrap_err(), error);
}

/// Calls a collective that the last rank has not joined, and checks that its error names that rank soon.
fn expect_end_of_last(group: &Communicator) {
    let (start, last) = (Instant::now(), group.world_size() - 1);
    let error = group.all_reduce(vector(&numbers(0, 100_000)), Reduction::Sum).unwrap_err();
    // The error names the failed rank, or another one that had its message.
    assert!(error.to_string().contains(&format!("rank {last} ended")), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

pub fn a_rank_that_ends(group: &Communicator) {
    group.barrier().unwrap();
    if group.rank() != group.world_size() - 1 {
        expect_end_of_last(group);
    }
}

/// In the debug mode, each process of the group lists the calls of all ranks.
pub fn debug_mode() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = mpirun("x_507_ranks_that_differ", 2);
    let status = command.env("BURN_COLLECTIVE_DEBUG", "DETAIL").env(ERRORS, folder.path()).status().unwrap();
    let text = errors(folder.path(), 2);
    assert!(status.success(), "{text}");
    for expected in [
        "rank 0 called #2 all_reduce, dtype f64, shape [2], reduction sum\n",
        "rank 1 called #2 all_reduce, dtype f64, shape [3], reduction sum\n",
    ] {
        assert!(text.contains(expected), "{expected}\nis not in\n{text}");
    }
}
