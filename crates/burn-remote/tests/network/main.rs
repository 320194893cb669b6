//! Servers and programs with real connections between them.

mod faults;
mod guests;
mod hostile;
mod memory;
mod proxy;
mod raw;
mod session;

use burn_conformance::process::Process;
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions, Stats};
use std::thread;
use std::time::Duration;

/// Rows, and bytes of a row, of the tensor that the server in another process computes with;
/// `BURN_SERVER_SIDE` says another number.
fn side() -> usize {
    std::env::var("BURN_SERVER_SIDE").map_or(4000, |text| text.parse().expect("a number"))
}

/// Memory limit of a session of that server: two of these tensors and a little.
fn session_bytes() -> u64 {
    2 * (side() as u64).pow(2) + (32 << 20)
}

/// Memory limit of all of its sessions.
fn total_bytes() -> u64 {
    2 * session_bytes()
}

/// Starts the server in another process, which the calling test is there.
fn start_process(test: &str) -> Process {
    Process::start(test, || {
        // Raw clients say nothing while a kernel runs, however long that takes on a busy machine.
        let patient = options().with_idle_timeout(Duration::from_secs(600));
        let server = start(patient.with_session_bytes(session_bytes()).with_total_bytes(total_bytes()));
        let url = server.url();
        (server, url)
    })
}

/// At any free port.
fn options() -> ServerOptions {
    ServerOptions::new("127.0.0.1:0")
}

fn start(options: ServerOptions) -> Server {
    Server::start::<NdArray>(Default::default(), options).expect("there is a free port")
}

/// Waits for the server to have nothing any more.
fn assert_empty(server: &Server) {
    while server.stats() != (Stats { sessions: 0, bytes: 0 }) {
        thread::sleep(Duration::from_millis(10));
    }
}
