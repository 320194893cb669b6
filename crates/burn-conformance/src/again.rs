//! A test that runs in a process of its own, for what would take the device from other tests.

use std::env;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const VARIABLE: &str = "BURN_TEST_AGAIN";
/// A device that hangs shall fail a test, not stop it.
const LIMIT: Duration = Duration::from_secs(300);

/// Runs a test once more, alone in a process with these variables, and returns what it said, unless this is
/// that process: then nothing is returned, and the test does what it is there for. The test is chosen by its
/// name, which no other test contains, or by `concat!(module_path!(), "::name")`.
///
/// # Panics
/// When the process fails, does not run exactly one test, or takes longer than five minutes.
#[track_caller]
pub fn again(test: &str, variables: &[(&str, &str)]) -> Option<String> {
    if env::var(VARIABLE).is_ok_and(|name| name == test) {
        return None;
    }
    let mut command = Command::new(env::current_exe().expect("a test is a program"));
    match test.split_once("::") {
        Some((_crate, path)) => command.args(["--exact", path]),
        None => command.arg(test),
    };
    let mut child = command
        .args(["--nocapture", "--test-threads=1"])
        .env(VARIABLE, test)
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program can be started twice");
    let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let reading = std::thread::spawn(move || text(err));
    let saying = std::thread::spawn(move || text(out));
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("it was started") {
            Some(status) => break Some(status),
            None if start.elapsed() > LIMIT => break None,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    if status.is_none() {
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
    let said = saying.join().expect("no panic") + &reading.join().expect("no panic");
    match status {
        None => panic!("{test} hangs, after it said:\n{said}"),
        Some(status) => assert!(status.success(), "{test}: {status}, after it said:\n{said}"),
    }
    // A name that no test has is no failure for the program.
    assert!(said.contains("test result: ok. 1 passed"), "{test} is not the name of one test:\n{said}");
    Some(said)
}

fn text(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // A killed process may leave a partial output, which is still worth showing.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
