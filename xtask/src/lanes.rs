//! Test binaries that run beside each other, as many at once as there are processors.
//!
//! `cargo test` runs one binary after the other, with a thread for each processor. Tests of a GPU then wait
//! for the one thread that a device has in a process, and all processors but one are idle. Here each process
//! has a device of its own.

use crate::{Outcome, process};
use serde_json::Value;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Parts of a binary whose tests wait for one thread: several for each processor, so that all end at about
/// the same time.
const PARTS: usize = 6;

/// A test binary that `cargo` built.
struct Binary {
    name: String,
    program: PathBuf,
    /// The folder of its package, in which its tests run.
    folder: PathBuf,
}

/// Variable with a file that is made when the tests are built: `.ci/run` then begins to build those of the
/// next step.
const BUILT: &str = "XTASK_BUILT";

/// One process: a binary with the names of the tests that it runs, none for all of them.
struct Job<'a> {
    binary: &'a Binary,
    title: String,
    tests: Vec<String>,
    variables: &'a [(OsString, OsString)],
}

/// Builds the tests that a call of `cargo test` selects, runs the binaries side by side, and hands each line
/// of their output to `see`. The binaries named in `divided` are cut into parts of one thread each. What a
/// binary complains about is printed when it fails.
pub(crate) fn run(command: &mut Command, divided: &[&str], mut see: impl FnMut(&str)) -> Outcome {
    command.args(["--no-run", "--message-format=json-render-diagnostics"]);
    let messages = process::output(command)?;
    let binaries: Vec<Binary> = messages.lines().filter_map(binary).collect();
    if binaries.is_empty() {
        return Err("cargo built no tests".into());
    }
    if let Some(file) = std::env::var_os(BUILT) {
        fs::write(&file, "").map_err(|cause| format!("{}: {cause}", file.display()))?;
    }
    let variables: Vec<(OsString, OsString)> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_os_string(), value?.to_os_string())))
        .collect();
    let (mut long, mut jobs) = (VecDeque::new(), VecDeque::new());
    for binary in &binaries {
        let job = |title: String, tests| Job { binary, title, tests, variables: &variables };
        if divided.contains(&binary.name.as_str()) {
            let parts = divide(tests_of(binary, &variables)?);
            let of = parts.len();
            let title = |part: usize| format!("{}, part {} of {of}", binary.name, part + 1);
            long.extend(parts.into_iter().enumerate().map(|(part, tests)| job(title(part), tests)));
        } else {
            jobs.push_back(job(binary.name.clone(), Vec::new()));
        }
    }
    // The long ones first, so that short ones fill the end.
    long.append(&mut jobs);
    let failed = run_jobs(long, &mut see)?;
    if failed.is_empty() { Ok(()) } else { Err(format!("tests failed: {}", failed.join("; "))) }
}

/// Reads a message of cargo: a test binary, or something else.
fn binary(message: &str) -> Option<Binary> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let program = message["executable"].as_str().filter(|_| is_test)?;
    Some(Binary {
        name: message["target"]["name"].as_str()?.to_string(),
        program: program.into(),
        folder: PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_path_buf(),
    })
}

fn command(binary: &Binary, variables: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new(&binary.program);
    command.current_dir(&binary.folder).env("CARGO_MANIFEST_DIR", &binary.folder);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command
}

fn tests_of(binary: &Binary, variables: &[(OsString, OsString)]) -> Outcome<Vec<String>> {
    let list = process::output(command(binary, variables).args(["--list", "--format", "terse"]))?;
    Ok(list.lines().filter_map(|line| line.strip_suffix(": test").map(String::from)).collect())
}

/// Deals the tests out like cards: neighbours, which often take the same time, come into different parts.
fn divide(tests: Vec<String>) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new(); PARTS.min(tests.len()).max(1)];
    let count = parts.len();
    for (index, test) in tests.into_iter().enumerate() {
        parts[index % count].push(test);
    }
    parts
}

/// Takes jobs from the front until none is left, with a thread for each processor; the titles of those that
/// failed.
fn run_jobs(jobs: VecDeque<Job<'_>>, see: &mut impl FnMut(&str)) -> Outcome<Vec<String>> {
    let lanes = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let jobs = Mutex::new(jobs);
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            let (jobs, sender) = (&jobs, sender.clone());
            scope.spawn(move || {
                let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                while let Some(job) = next() {
                    let start = Instant::now();
                    let output = run_job(&job);
                    if sender.send((job, output, start.elapsed())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut failed = Vec::new();
        for (job, output, took) in ended {
            let output =
                output.map_err(|cause| format!("cannot run {}: {cause}", job.binary.program.display()))?;
            report(&job, &output, took, see);
            if !output.status.success() {
                failed.push(format!("{} ({})", job.title, output.status));
            }
        }
        Ok(failed)
    })
}

fn run_job(job: &Job<'_>) -> std::io::Result<Output> {
    let mut command = command(job.binary, job.variables);
    if !job.tests.is_empty() {
        command.args(["--test-threads=1", "--exact"]).args(&job.tests);
    }
    command.output()
}

fn report(job: &Job<'_>, output: &Output, took: Duration, see: &mut impl FnMut(&str)) {
    let (Job { title, binary, .. }, seconds) = (job, took.as_secs());
    println!(
        "\n     Ran {title} of {} in {seconds} s",
        binary.folder.file_name().unwrap_or_default().display()
    );
    let said = String::from_utf8_lossy(&output.stdout);
    for line in said.lines() {
        println!("{line}");
        see(line);
    }
    // Drivers complain about much that does no harm.
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_binaries_of_tests_are_read_from_messages() {
        let message = |test, executable| {
            serde_json::json!({
                "reason": "compiler-artifact", "manifest_path": "/w/crates/leaf/Cargo.toml", "target": {"name": "suite"},
                "profile": {"test": test}, "executable": executable
            })
            .to_string()
        };
        let read = binary(&message(true, Some("/w/target/suite-1"))).expect("a test binary");
        assert_eq!(
            (read.name.as_str(), read.program, read.folder),
            ("suite", PathBuf::from("/w/target/suite-1"), PathBuf::from("/w/crates/leaf"))
        );
        assert!(binary(&message(false, Some("/w/target/tool"))).is_none(), "a program");
        assert!(binary(&message(true, None)).is_none(), "a library");
        assert!(binary("   Compiling leaf").is_none(), "what is no message");
    }

    #[test]
    fn every_test_is_in_one_part() {
        let tests: Vec<String> = (0..20).map(|index| format!("test_{index}")).collect();
        let parts = divide(tests.clone());
        assert_eq!(parts.len(), PARTS);
        let mut dealt = parts.concat();
        dealt.sort_by_key(|name| tests.iter().position(|test| test == name));
        assert_eq!(dealt, tests);
        assert_eq!(divide(tests[..2].to_vec()).len(), 2, "no part is empty");
    }
}
