//! Collectives of processes: starts itself by `mpirun` with 1, 2, 3 and 4 ranks.

mod checks;
mod failures;
#[path = "../collectives/programs.rs"]
mod programs;
#[path = "../collectives/tensors.rs"]
#[allow(dead_code, reason = "the tests of threads use all of it")]
mod tensors;
#[path = "../collectives/training.rs"]
mod training;

use burn::collective::{Communicator, Mpi};
use std::env::{args, current_exe};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// A test: the program of each rank.
type Test = (&'static str, fn(&Communicator));

const TESTS: [Test; 9] = [
    ("functions", checks::functions),
    ("dtypes", checks::dtypes),
    ("a_million_elements", checks::a_million_elements),
    ("random_programs", checks::random_programs),
    ("requests", checks::requests),
    ("data_parallel", checks::data_parallel),
    ("ranks_that_differ", failures::ranks_that_differ),
    ("a_rank_that_ends", failures::a_rank_that_ends),
    ("a_rank_that_hangs", failures::a_rank_that_hangs),
];

/// The argument by which `mpirun` starts a rank, followed by the name of a test.
const RANK: &str = "--rank-of";

fn main() -> ExitCode {
    let arguments: Vec<String> = args().skip(1).collect();
    if let [flag, name] = &arguments[..]
        && flag == RANK
    {
        let (_, test) = TESTS.into_iter().find(|(test, _)| test == name).expect("a test of this name");
        test(&Mpi::init().unwrap_or_else(|error| panic!("{error}")));
        return ExitCode::SUCCESS;
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let chosen = TESTS.into_iter().filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter)));
    let (mut passed, mut failed) = (0, 0);
    for (name, _) in chosen {
        // The failures are those of several ranks.
        let least = if name.starts_with("a_rank") || name.starts_with("ranks") { 2 } else { 1 };
        for ranks in least..=4 {
            let start = Instant::now();
            let is_ok = start_ranks(name, ranks);
            let word = if is_ok { "ok" } else { "FAILED" };
            println!("test {name} of {ranks} ranks ... {word} ({:.1} s)", start.elapsed().as_secs_f64());
            if is_ok { passed += 1 } else { failed += 1 }
        }
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn start_ranks(test: &str, ranks: usize) -> bool {
    let program = current_exe().expect("this program has a path");
    let status = Command::new("mpirun")
        .args(["--allow-run-as-root", "--oversubscribe", "--timeout", "300", "-n", &ranks.to_string()])
        .arg(program)
        .args([RANK, test])
        .status();
    match status {
        Ok(status) => status.success(),
        Err(cause) => panic!("mpirun cannot be started: {cause}. Install openmpi-bin"),
    }
}
