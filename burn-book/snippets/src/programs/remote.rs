// ANCHOR: program
// cargo add --path ../burn/crates/burn --features remote,server

use burn::backend::{NdArray, RemoteBackend, RemoteDevice};
use burn::server::{Server, ServerOptions};
use burn::tensor::Tensor;

fn main() {
    // The server would run on another machine; port 0 is any free port.
    let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"))
        .expect("there is a free port");
    let device = RemoteDevice::new(&server.url());

    // Computed there, read here.
    let x = Tensor::<RemoteBackend, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    println!("{}", x.clone().matmul(x).into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_another_machine() {
    crate::page_output::page_prints!("remote.md");
}
