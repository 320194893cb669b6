//! Variables of a process, which a test gives to a process of its own.

use burn::backend::NdArray;
use burn::collective::{CollectiveError, Communicator, Local, Reduction};
use burn::tensor::Tensor;
use std::env;
use std::process::Command;
use std::time::{Duration, Instant};

/// Set in the processes that tests start.
const CHILD: &str = "BURN_TEST_CHILD";

/// Runs one test of this file once more, in a process with variables, and returns what it prints.
fn with_variables(test: &str, variables: &[(&str, &str)]) -> String {
    let program = env::current_exe().unwrap();
    let arguments = ["--exact", &format!("debug_mode::{test}"), "--nocapture"];
    let output = Command::new(program)
        .args(arguments)
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    text
}

fn x(len: usize) -> Tensor<NdArray, 1> {
    Tensor::ones([len], &Default::default())
}

fn run_ranks_that_differ() {
    let errors = Local::run(2, |group| {
        group.barrier()?;
        match group.rank() {
            0 => group.all_reduce(x(3), Reduction::Sum).map(drop),
            _ => group.all_gather(x(4), 0).map(drop),
        }
    });
    assert!(errors.unwrap().into_iter().all(|error| error.is_err()));
}

#[test]
fn x_507_the_debug_mode_reports_the_calls_of_both_ranks() {
    if let Ok(_child) = env::var(CHILD) {
        return run_ranks_that_differ();
    }
    let test = "x_507_the_debug_mode_reports_the_calls_of_both_ranks";
    let text = with_variables(test, &[("BURN_COLLECTIVE_DEBUG", "DETAIL")]);
    for expected in [
        "ranks differ in the operation; expected all_reduce as on rank 0, got all_gather on rank 1",
        "rank 0 called #1 barrier\n",
        "rank 0 called #2 all_reduce, dtype f32, shape [3], reduction sum\n",
        "rank 1 called #2 all_gather, dtype f32, shape [4], dim 0\n",
    ] {
        assert!(text.contains(expected), "{expected}\nis not in\n{text}");
    }
    let text = with_variables(test, &[]);
    assert!(!text.contains("called #"), "{text}");
}

fn run_a_rank_that_hangs() {
    let start = Instant::now();
    let results = Local::run(2, |group| match group.rank() {
        0 => group.barrier(),
        _ => {
            std::thread::sleep(Duration::from_millis(700));
            Ok(())
        }
    });
    let error = results.unwrap().remove(0).unwrap_err();
    assert!(matches!(error, CollectiveError::Timeout { ref missing, .. } if missing == &[1]), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn x_507_the_timeout_comes_from_a_variable() {
    if let Ok(_child) = env::var(CHILD) {
        return run_a_rank_that_hangs();
    }
    with_variables("x_507_the_timeout_comes_from_a_variable", &[("BURN_COLLECTIVE_TIMEOUT", "0.2")]);
}

#[test]
fn x_506_variables_of_torchrun_without_mpi_say_what_to_do() {
    if let Ok(_child) = env::var(CHILD) {
        return println!("{}", Communicator::from_environment().unwrap_err());
    }
    let test = "x_506_variables_of_torchrun_without_mpi_say_what_to_do";
    let text = with_variables(test, &[("RANK", "1"), ("WORLD_SIZE", "4")]);
    assert!(text.contains("variable WORLD_SIZE: expected 1 without an MPI library"), "{text}");
    assert!(text.contains("burn-launch --mpi") && text.contains("got 4, on rank 1"), "{text}");
    let text = with_variables(test, &[("RANK", "9"), ("WORLD_SIZE", "4")]);
    assert!(text.contains("variable RANK: expected a rank below 4, got 9"), "{text}");
    let text = with_variables(test, &[("BURN_COLLECTIVE_TIMEOUT", "never")]);
    assert!(text.contains("BURN_COLLECTIVE_TIMEOUT: expected a number of seconds"), "{text}");
}
