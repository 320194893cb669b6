//! Processes of one host, which end together.

use crate::arguments::Launch;
use crate::log_lines::{Shared, pass_on, with_rank};
use crate::signals;
use std::io::{Stderr, Stdout, stderr, stdout};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(20);
/// Time in which what ended processes have printed is read.
const DRAIN: Duration = Duration::from_secs(2);

/// Processes that were started, and how those ended that have.
struct Processes {
    running: Vec<Child>,
    ended: Vec<Option<ExitStatus>>,
    readers: Vec<JoinHandle<()>>,
}

/// Starts the processes, waits for them, and returns the exit code: that of the first process which ended in
/// an error.
pub fn run(launch: &Launch) -> Result<u8, String> {
    signals::handle();
    let port = master_port(launch.master_port)?;
    let mut processes = Processes { running: Vec::new(), ended: Vec::new(), readers: Vec::new() };
    let (out, err) = (Arc::new(Mutex::new(stdout())), Arc::new(Mutex::new(stderr())));
    for rank in 0..launch.processes {
        if let Err(cause) = processes.start(launch, rank, port, &out, &err) {
            processes.end(launch.grace);
            return Err(cause);
        }
    }
    let code = processes.wait(launch);
    processes.end(launch.grace);
    processes.drain();
    Ok(code)
}

/// Returns the port of the option when it is free, or any that is.
fn master_port(asked: Option<u16>) -> Result<u16, String> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, asked.unwrap_or(0)));
    let port = bound.and_then(|listener| listener.local_addr()).map(|address| address.port());
    port.map_err(|cause| match asked {
        Some(port) => format!(
            "--master-port: port {port} cannot be used: {cause}. Leave the option out, or name a free port"
        ),
        None => format!("no port is free: {cause}"),
    })
}

/// Sends a signal to a process and those that it started.
pub fn signal_group(child: &Child, signal: i32) {
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: the group was made for this process; one without processes is an error that nothing depends
        // on.
        unsafe { libc::kill(-group, signal) };
    }
}

/// Lets the system kill the process when the launcher is killed, where the system can.
pub fn die_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    // SAFETY: `prctl` may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Returns the exit code that a shell would give.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}

impl Processes {
    fn start(
        &mut self,
        launch: &Launch,
        rank: usize,
        port: u16,
        out: &Shared<Stdout>,
        err: &Shared<Stderr>,
    ) -> Result<(), String> {
        let mut command = Command::new(&launch.program);
        let (rank_text, count) = (rank.to_string(), launch.processes.to_string());
        command
            .args(&launch.arguments)
            .envs([("RANK", &rank_text), ("LOCAL_RANK", &rank_text)])
            .envs([("WORLD_SIZE", &count), ("LOCAL_WORLD_SIZE", &count)])
            .env("MASTER_ADDR", Ipv4Addr::LOCALHOST.to_string())
            .env("MASTER_PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        die_with_parent(&mut command);
        let mut child = command.spawn().map_err(|cause| {
            format!("{}: cannot be started: {cause}. Give the path of a program", launch.program.display())
        })?;
        let add = move |line: &[u8]| with_rank(rank, line);
        self.readers.extend(child.stdout.take().map(|from| pass_on(from, out.clone(), add)));
        self.readers.extend(child.stderr.take().map(|from| pass_on(from, err.clone(), add)));
        self.running.push(child);
        self.ended.push(None);
        Ok(())
    }

    /// Looks for processes that have ended; returns the rank of the first that did so in an error.
    fn look(&mut self) -> Option<(usize, ExitStatus)> {
        let mut failed = None;
        for (rank, (child, ended)) in self.running.iter_mut().zip(&mut self.ended).enumerate() {
            if ended.is_none() {
                *ended = child.try_wait().ok().flatten();
                failed = failed.or(ended.filter(|status| !status.success()).map(|status| (rank, status)));
            }
        }
        failed
    }

    fn left(&self) -> usize {
        self.ended.iter().filter(|ended| ended.is_none()).count()
    }

    /// Waits until all processes have ended, or one in an error, or the launcher is asked to end.
    fn wait(&mut self, launch: &Launch) -> u8 {
        loop {
            if let Some((rank, status)) = self.look() {
                let left = self.left();
                eprintln!(
                    "burn-launch: rank {rank} ended with {status}; ending the {left} others that still run"
                );
                return exit_code(status);
            }
            if self.left() == 0 {
                return 0;
            }
            if let Some(signal) = signals::received() {
                eprintln!(
                    "burn-launch: signal {signal}; ending {} processes of {}",
                    self.left(),
                    launch.processes
                );
                return u8::try_from(128 + signal).unwrap_or(1);
            }
            sleep(INTERVAL);
        }
    }

    /// Ends all processes and what they have started: by `SIGTERM`, and after the grace by `SIGKILL`.
    fn end(&mut self, grace: Duration) {
        for (child, _) in self.running.iter().zip(&self.ended).filter(|(_, ended)| ended.is_none()) {
            signal_group(child, libc::SIGTERM);
        }
        let start = Instant::now();
        while self.left() > 0 && start.elapsed() < grace {
            self.look();
            sleep(INTERVAL);
        }
        for child in &mut self.running {
            signal_group(child, libc::SIGKILL);
            // It has ended, or was killed.
            let _ = child.wait();
        }
    }

    /// Waits for the readers, except those of pipes that a process outside of the groups keeps open.
    fn drain(self) {
        let start = Instant::now();
        while start.elapsed() < DRAIN && self.readers.iter().any(|reader| !reader.is_finished()) {
            sleep(INTERVAL);
        }
    }
}
