//! The program `burn-launch`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn burn_launch(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burn-launch"));
    command.args(arguments);
    command
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_string).collect();
    lines.sort();
    lines
}

fn run(arguments: &[&str]) -> Output {
    burn_launch(arguments).output().unwrap()
}

/// Whether a process runs: what its parent has not waited for yet does not.
fn runs(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", process.trim()));
    state.is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

/// A program that writes the ids of its process and of one that it starts to files, and waits.
fn waits(folder: &Path) -> String {
    let folder = folder.display();
    format!("sleep 100 & echo $! > {folder}/child-$RANK; echo $$ > {folder}/own-$RANK; wait")
}

/// Waits until so many processes have written their id, and returns the ids of all.
fn processes(folder: &Path, count: usize) -> Vec<String> {
    let start = Instant::now();
    loop {
        let files =
            fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        let ids: Vec<String> = files.filter(|id| id.ends_with('\n')).collect();
        if ids.len() == count {
            return ids;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{ids:?}");
        sleep(Duration::from_millis(5));
    }
}

fn expect_none_left(processes: &[String]) {
    let start = Instant::now();
    while processes.iter().any(|process| runs(process)) {
        assert!(start.elapsed() < Duration::from_secs(5), "some of {processes:?} still run");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn x_506_each_process_has_the_variables_of_torchrun_and_its_lines_their_rank() {
    let program =
        "echo \"$RANK $LOCAL_RANK of $WORLD_SIZE $LOCAL_WORLD_SIZE at $MASTER_ADDR\"; echo $MASTER_PORT >&2";
    let output = run(&["-n", "3", "sh", "-c", program]);
    assert!(output.status.success());
    let expected = [0, 1, 2].map(|rank| format!("[{rank}] {rank} {rank} of 3 3 at 127.0.0.1"));
    assert_eq!(lines(&output.stdout), expected);
    let ports = lines(&output.stderr);
    let port = ports[0].strip_prefix("[0] ").unwrap();
    assert_ne!(port.parse::<u16>().unwrap(), 0);
    assert_eq!(ports, [0, 1, 2].map(|rank| format!("[{rank}] {port}")));
}

#[test]
fn x_506_an_error_of_one_process_ends_all_others_and_what_they_started() {
    let folder = tempfile::tempdir().unwrap();
    let program = format!(
        "if [ $RANK = 2 ]; then until [ $(ls {0} | wc -l) = 6 ]; do sleep 0.01; done; exit 7; fi; {1}",
        folder.path().display(),
        waits(folder.path())
    );
    let start = Instant::now();
    let output = run(&["-n", "4", "sh", "-c", &program]);
    assert_eq!(output.status.code(), Some(7));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("burn-launch: rank 2 ended with exit status: 7; ending the 3 others"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(30));
    expect_none_left(&processes(folder.path(), 6));
}

#[test]
fn x_506_a_process_that_ignores_the_signal_is_killed_after_the_grace() {
    let program = "trap '' TERM; if [ $RANK = 1 ]; then sleep 0.3; exit 1; fi; while true; do sleep 1; done";
    let start = Instant::now();
    let output = run(&["-n", "2", "--grace", "0.5", "sh", "-c", program]);
    assert_eq!(output.status.code(), Some(1));
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[test]
fn x_506_a_signal_to_the_launcher_ends_all_processes() {
    // Killed, the launcher can do nothing: the system ends its processes, but not those that they started.
    for (signal, code, expected) in [("TERM", Some(128 + 15), 4), ("KILL", None, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = burn_launch(&["-n", "2", "sh", "-c", &waits(folder.path())]);
        let mut launcher = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ids = processes(folder.path(), 4);
        let id = launcher.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        assert_eq!(launcher.wait().unwrap().code(), code);
        if expected == 4 {
            expect_none_left(&ids);
        } else if cfg!(target_os = "linux") {
            let own = |rank: usize| fs::read_to_string(folder.path().join(format!("own-{rank}"))).unwrap();
            let child =
                |rank: usize| fs::read_to_string(folder.path().join(format!("child-{rank}"))).unwrap();
            expect_none_left(&[own(0), own(1)]);
            for child in [child(0), child(1)] {
                Command::new("kill").arg(child.trim()).status().unwrap();
            }
        }
    }
}

#[test]
fn x_506_what_cannot_be_started_is_named() {
    let missing = run(&["-n", "2", "/nowhere/program"]);
    assert_eq!(missing.status.code(), Some(2));
    let text = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(text.contains("burn-launch: /nowhere/program: cannot be started"), "{text}");
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let text = run(&["-n", "2", "--master-port", &port, "true"]);
    let text = String::from_utf8_lossy(&text.stderr).into_owned();
    assert!(text.contains(&format!("--master-port: port {port} cannot be used")), "{text}");
    let text = burn_launch(&["-n", "2", "--mpi", "true"]).env("PATH", "/nowhere").output().unwrap();
    let text = String::from_utf8_lossy(&text.stderr).into_owned();
    assert!(text.contains("mpirun cannot be started") && text.contains("openmpi-bin"), "{text}");
}
