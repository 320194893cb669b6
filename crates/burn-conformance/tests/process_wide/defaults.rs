//! Backends behind the defaults of a process: one in another process, through a real connection, passes what the backend
//! there passes, and so does the second backend of a router.

use burn_autodiff::Autodiff;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_conformance::known_gaps::NDARRAY;
use burn_conformance::process::{Process, serve};
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions};
use burn_remote::{Remote, RemoteDevice};
use burn_router::Router;
use burn_router::duo::MultiDevice;
use burn_tensor::Tensor;
use std::sync::OnceLock;

type Twins = Router<(NdArray, NdArray)>;

const ENTRY: &str = "defaults::a_server_in_another_process_computes";

#[test]
fn a_server_in_another_process_computes() {
    serve(|| {
        let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"));
        let server = server.expect("there is a free port");
        let url = server.url();
        (server, url)
    });
    let process = Process::start(ENTRY);
    let device = RemoteDevice::new(process.url());
    let sum = Tensor::<Remote, 1>::from_data([1.0, 2.5], &device) + 0.5;
    assert_eq!(sum.into_data().to_f64(), [1.5, 3.0]);
}

fn start_server() {
    // The child ends with the program, whose end of the pipe is then closed.
    static SERVER: OnceLock<Process> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Process::start(ENTRY);
        RemoteDevice::new(server.url()).set_default();
        server
    });
}

/// Makes the second backend of a router the default, which nobody gets who does not ask for it.
fn choose_second() {
    DynamicDevice::new::<Twins>(MultiDevice::B2(Default::default())).set_default();
}

burn_conformance::suite!(defaults {
    remote: Remote, before = start_server(), gaps = NDARRAY, in_flight = 16;
    autodiff: Autodiff<Remote>, before = start_server(), gaps = NDARRAY, in_flight = 16;
    second: Dynamic, before = choose_second(), gaps = NDARRAY;
});
