//! Servers and programs with real connections between them.

mod faults;
mod guests;
mod hostile;
mod memory;
mod proxy;
mod raw;
mod session;

use burn_conformance::process::serve as serve_as;
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions, Stats};
use std::thread;
use std::time::Duration;

/// Limits of the server in another process.
const SESSION_BYTES: u64 = 64 << 20;
const TOTAL_BYTES: u64 = 128 << 20;

/// The server in another process: this test in a program of its own.
#[test]
fn serve() {
    serve_as(|| {
        // Raw clients say nothing while a kernel runs, however long that takes on a busy machine.
        let patient = options().with_idle_timeout(Duration::from_secs(600));
        let server = start(patient.with_session_bytes(SESSION_BYTES).with_total_bytes(TOTAL_BYTES));
        let url = server.url();
        (server, url)
    });
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
