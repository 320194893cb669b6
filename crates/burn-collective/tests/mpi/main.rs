//! Collectives of processes: starts itself by `mpirun` with 1, 2, 3, 4 and 8 ranks.

mod checks;
mod containers;
mod ended_ranks;
mod failures;
mod kills;
#[path = "../collectives/large_sum.rs"]
mod large_sum;
mod master_port;
mod missing_nccl;
mod other_mpi;
#[path = "../collectives/programs.rs"]
mod programs;
#[path = "../collectives/reduced.rs"]
mod reduced;
#[path = "../collectives/sweep.rs"]
mod sweep;
#[path = "../collectives/tensors.rs"]
#[allow(dead_code, reason = "the tests of threads use all of it")]
mod tensors;

use burn::collective::{Communicator, Mpi};
use std::env::{args, current_exe};
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// A program of each rank, and the numbers of ranks that run it.
type Program = (&'static str, fn(&Communicator), &'static [usize]);

const PROGRAMS: [Program; 4] = [
    ("x_501_functions_of_processes", checks::all, &[1, 2, 3, 4, 8]),
    ("x_501_a_hundred_million_elements", large_sum::sum_a_hundred_million_elements, &[2]),
    ("x_507_ranks_that_differ", failures::ranks_that_differ, &[2, 4]),
    ("x_507_a_rank_that_ends", failures::a_rank_that_ends, &[2, 4]),
];

/// Tests that start and kill processes by themselves.
const TESTS: [(&str, fn()); 8] = [
    ("x_507_thirty_killed_ranks_end_all_others", kills::thirty_kills),
    ("x_507_a_stopped_rank_ends_all_others", kills::a_stopped_rank),
    ("x_506_processes_without_mpirun_say_what_to_do", kills::without_mpirun),
    ("x_506_another_mpi_library_is_named", other_mpi::is_named),
    ("x_507_the_debug_mode_reports_the_calls_of_processes", failures::debug_mode),
    ("x_507_large_messages_pass_a_filter_of_system_calls", containers::filtered_system_calls),
    ("x_507_ranks_without_a_usable_nccl_say_what_to_do", missing_nccl::starts),
    ("x_507_a_master_port_in_use_is_named_on_every_rank", master_port::is_in_use),
];

/// The argument by which `mpirun` starts a rank, followed by the name of a program.
const RANK: &str = "--rank-of";

fn main() -> ExitCode {
    let arguments: Vec<String> = args().skip(1).collect();
    if let [flag, name] = &arguments[..]
        && flag == RANK
    {
        return run_rank(name);
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let is_chosen = |name: &str| filter.is_none_or(|filter| name.contains(filter.as_str()));
    let mut outcomes = Vec::new();
    let mut test = |name: &str, run: &dyn Fn() -> bool| {
        let start = Instant::now();
        let is_ok = run();
        let word = if is_ok { "ok" } else { "FAILED" };
        println!("test {name} ... {word} ({:.1} s)", start.elapsed().as_secs_f64());
        outcomes.push(is_ok);
    };
    for (name, _, counts) in PROGRAMS.into_iter().filter(|(name, ..)| is_chosen(name)) {
        for ranks in counts {
            test(&format!("{name}, {ranks} ranks"), &|| start_ranks(name, *ranks));
        }
    }
    for (name, run) in TESTS.into_iter().filter(|(name, _)| is_chosen(name)) {
        test(name, &|| catch_unwind(run).is_ok());
    }
    let failed = outcomes.iter().filter(|is_ok| !**is_ok).count();
    let (word, passed) = (if failed == 0 { "ok" } else { "FAILED" }, outcomes.len() - failed);
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one rank, which `mpirun` started.
fn run_rank(name: &str) -> ExitCode {
    #[cfg(target_os = "linux")]
    if name == containers::PROGRAM {
        containers::refuse_single_copies();
    }
    if name == master_port::PROGRAM {
        return master_port::start();
    }
    let group = match Mpi::init() {
        Ok(group) => group,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match name {
        kills::PROGRAM => return kills::collectives_without_end(&group),
        containers::PROGRAM => return containers::large_messages(&group),
        missing_nccl::PROGRAM => return missing_nccl::start(&group),
        _ => {}
    }
    let (_, program, _) =
        PROGRAMS.into_iter().find(|(program, ..)| *program == name).expect("a test of this name");
    program(&group);
    ExitCode::SUCCESS
}

/// Variable with a folder for what each rank says of errors, in a file of its own.
///
/// `mpirun` ends the job when a rank ends with an error, and what it has not yet passed on is lost.
const ERRORS: &str = "COLLECTIVE_TEST_ERRORS";

/// Returns the command that starts ranks of a program.
fn mpirun(program: &str, ranks: usize) -> Command {
    let rank =
        format!("[ -z \"${ERRORS}\" ] || exec 2>\"${ERRORS}/$OMPI_COMM_WORLD_RANK\"; exec \"$0\" \"$@\"");
    let mut command = Command::new("mpirun");
    command
        .args(["--allow-run-as-root", "--oversubscribe", "--timeout", "120", "-n", &ranks.to_string()])
        .args(["sh", "-c", &rank])
        .arg(current_exe().expect("this program has a path"))
        .args([RANK, program]);
    command
}

/// Returns what the ranks said of errors.
fn errors(folder: &Path, ranks: usize) -> String {
    (0..ranks).map(|rank| fs::read_to_string(folder.join(rank.to_string())).unwrap()).collect()
}

fn start_ranks(program: &str, ranks: usize) -> bool {
    match mpirun(program, ranks).status() {
        Ok(status) => status.success(),
        Err(cause) => panic!("mpirun cannot be started: {cause}. Install openmpi-bin"),
    }
}
