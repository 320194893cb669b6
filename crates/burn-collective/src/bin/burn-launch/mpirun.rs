//! Processes that `mpirun` starts.

use crate::arguments::Launch;
use crate::log_lines::{from_open_mpi, pass_on};
use crate::processes::{die_with_parent, exit_code, signal_group};
use crate::signals;
use std::io::{stderr, stdout};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(20);

/// Returns whether the `mpirun` of this system is that of Open MPI; others have options of MPICH's.
fn is_open_mpi() -> Result<bool, String> {
    let output = Command::new("mpirun").arg("--version").output().map_err(|cause| {
        format!("mpirun cannot be started: {cause}. Install an MPI library (`apt-get install openmpi-bin`), or leave out --mpi")
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.contains("Open MPI") || text.contains("OpenRTE"))
}

/// Starts the program by `mpirun`, and returns its exit code.
pub fn run(launch: &Launch) -> Result<u8, String> {
    signals::handle();
    let is_open_mpi = is_open_mpi()?;
    let mut command = Command::new("mpirun");
    if is_open_mpi {
        command.args(["--oversubscribe", "--tag-output"]);
        // SAFETY: the call has no effect.
        if unsafe { libc::geteuid() } == 0 {
            command.arg("--allow-run-as-root");
        }
    } else {
        command.arg("-prepend-rank");
    }
    command.args(["-n", &launch.processes.to_string()]).arg(&launch.program).args(&launch.arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    die_with_parent(&mut command);
    let mut child = command.spawn().map_err(|cause| format!("mpirun cannot be started: {cause}"))?;
    let change = move |line: &[u8]| if is_open_mpi { from_open_mpi(line) } else { line.to_vec() };
    let out = child.stdout.take().map(|from| pass_on(from, Arc::new(Mutex::new(stdout())), change));
    let err = child.stderr.take().map(|from| pass_on(from, Arc::new(Mutex::new(stderr())), change));
    let mut asked = None;
    let code = loop {
        if let Some(status) = child.try_wait().map_err(|cause| format!("mpirun: {cause}"))? {
            break exit_code(status);
        }
        match (signals::received(), asked) {
            // `mpirun` passes it on.
            (Some(_), None) => {
                signal_group(&child, libc::SIGTERM);
                asked = Some(Instant::now());
            }
            (_, Some(since)) if Instant::now() > since + launch.grace => signal_group(&child, libc::SIGKILL),
            _ => {}
        }
        sleep(INTERVAL);
    };
    signal_group(&child, libc::SIGKILL);
    for reader in [out, err].into_iter().flatten() {
        // It ends with the pipe.
        let _ = reader.join();
    }
    Ok(code)
}
