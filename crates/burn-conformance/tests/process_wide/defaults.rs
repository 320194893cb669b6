//! Backends under the defaults of a process: one in another process, through a real connection, passes what
//! the backend there passes, and so does the second backend of a router.

use burn_autodiff::Autodiff;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_conformance::known_gaps::NDARRAY;
use burn_conformance::process::Process;
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions};
use burn_remote::{Remote, RemoteDevice};
use burn_router::Router;
use burn_router::duo::MultiDevice;
use std::sync::OnceLock;

type Twins = Router<(NdArray, NdArray)>;

fn server() -> (Server, String) {
    let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"));
    let server = server.expect("there is a free port");
    let url = server.url();
    (server, url)
}

fn start_server() {
    // The child ends with the program, whose end of the pipe is then closed.
    static SERVER: OnceLock<Process> = OnceLock::new();
    SERVER.get_or_init(|| {
        // Any test will do: each of them begins with this call.
        let server = Process::start("defaults::defaults::unary", server);
        RemoteDevice::new(server.url()).set_default();
        server
    });
}

/// Makes the second backend of a router the default, which a program gets only when it asks for it.
fn choose_second() {
    DynamicDevice::new::<Twins>(MultiDevice::B2(Default::default())).set_default();
}

burn_conformance::suite!(defaults {
    remote: Remote, before = start_server(), gaps = NDARRAY, in_flight = 16;
    autodiff: Autodiff<Remote>, before = start_server(), gaps = NDARRAY, in_flight = 16;
    second: Dynamic, before = choose_second(), gaps = NDARRAY;
});
