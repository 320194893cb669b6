//! Snippets of the page on other machines.

#[test]
fn a_server_and_a_program() {
    // ANCHOR: options
    use burn::backend::remote::{RemoteDevice, RemoteOptions};

    let options = RemoteOptions::new("wss://tensors.example:3000").with_token("secret");
    let device = RemoteDevice::with_options(options);
    // ANCHOR_END: options
    assert_eq!(device.address(), "wss://tensors.example:3000");
}

#[allow(dead_code, reason = "it runs until the process is told to end")]
// ANCHOR: start
fn serve() {
    burn::server::start::<burn::backend::NdArray>(Default::default(), 3000);
}
// ANCHOR_END: start

#[test]
fn failures_are_told_at_the_next_read() {
    use burn::backend::NdArray;
    use burn::server::{Server, ServerOptions};
    let options = ServerOptions::new("127.0.0.1:0").with_session_bytes(1 << 20);
    let server = Server::start::<NdArray>(Default::default(), options).expect("there is a free port");
    let address = server.url();
    // ANCHOR: errors
    use burn::backend::{RemoteBackend, RemoteDevice};
    use burn::tensor::Tensor;

    let device = RemoteDevice::new(&address);
    // The server gives a program 1 MiB.
    let large = Tensor::<RemoteBackend, 2>::ones([1000, 1000], &device);
    let error = (large * 2.0).try_into_data().expect_err("there is no memory for it");
    assert!(error.to_string().contains("limits of the server"));
    // The session goes on.
    let small = Tensor::<RemoteBackend, 1>::ones([2], &device);
    assert_eq!(small.into_data().to_vec::<f32>().unwrap(), [1.0, 1.0]);
    // ANCHOR_END: errors
}
