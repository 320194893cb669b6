//! Servers and programs with real connections between them.

mod faults;
mod hostile;
mod proxy;
mod raw;
mod session;

use burn_conformance::process::serve as serve_as;
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions, Stats};
use std::thread;
use std::time::Duration;

/// The server in another process: this test in a program of its own.
#[test]
fn serve() {
    serve_as(|| {
        let server = start(options());
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
