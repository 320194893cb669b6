//! Signals that end a process while it has the terminal.

use crate::start;
use std::fs;
use std::process::Command;

#[test]
#[cfg(unix)]
fn a_signal_gives_the_terminal_back_and_ends_the_process() {
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131)] {
        let folder = tempfile::tempdir().unwrap();
        let after = "echo \"code $?\"; stty -a; ";
        let terminal = start(folder.path(), 1_000_000, ("ulimit -c 0; ", after));
        terminal.wait_for(&["Status    ", "Iteration"]);
        assert_eq!(terminal.modes(), "1 1", "{signal}");
        let process = fs::read_to_string(folder.path().join("process")).unwrap();
        let killed = Command::new("kill").args([&format!("-{signal}"), &process]).status().unwrap();
        assert!(killed.success());
        // Lines are edited and keys are shown again.
        terminal.wait_for(&[&format!("code {code}"), " icanon", " echo "]);
        assert_eq!(terminal.modes(), "0 0", "{signal}");
    }
}

/// Ends a process that would outlive its terminal, and the test with it.
#[cfg(target_os = "linux")]
struct KillOnDrop<'a>(&'a str);

#[cfg(target_os = "linux")]
impl Drop for KillOnDrop<'_> {
    fn drop(&mut self) {
        let _gone_already = Command::new("kill").args(["-KILL", self.0]).status();
    }
}

/// A program that ignores the hang-up signal outlives its terminal.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_is_ignored_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let terminal = start(folder.path(), 1_000_000, ("trap '' HUP; ", ""));
    terminal.wait_for(&["Status    ", "Iteration"]);
    let process = fs::read_to_string(folder.path().join("process")).unwrap();
    let _killed = KillOnDrop(&process);
    let mask = |name: &str| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim_start_matches(':').trim(), 16).unwrap()
    };
    // Bit 0 is signal 1, `SIGHUP`; bit 14 is `SIGTERM`.
    assert_eq!((mask("SigIgn") & 1, mask("SigCgt") & 1, mask("SigCgt") >> 14 & 1), (1, 0, 1));
}
