use super::error::ServerError;
use super::options::ServerOptions;
use super::server::Server;
use crate::client::oneshot;
use burn_backend::Backend;

/// Serves `device` of `B` at a port, to programs on this machine, until the process is asked to end (Ctrl-C).
///
/// ```no_run
/// use burn::backend::NdArray;
/// burn::server::start::<NdArray>(Default::default(), 3000);
/// ```
///
/// For programs on other machines, say so and ask for a token: [`start_with`].
///
/// # Panics
/// When the port is taken.
#[track_caller]
pub fn start<B: Backend>(device: B::Device, port: u16) {
    start_with::<B>(device, local(port)).unwrap_or_else(|error| panic!("{error}"));
}

/// [`start`] with options, for other machines too.
///
/// ```no_run
/// use burn::backend::NdArray;
/// use burn::server::{ServerOptions, start_with};
///
/// let options = ServerOptions::new("0.0.0.0:3000")
///     .with_token(std::env::var("MY_TOKEN")?)
///     .with_tls(std::fs::read("certificate.pem")?, std::fs::read("key.pem")?)
///     .with_session_bytes(8 << 30);
/// start_with::<NdArray>(Default::default(), options)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the address cannot be bound, when other machines reach it and there is no token, or when certificate
/// or key is invalid.
pub fn start_with<B: Backend>(device: B::Device, options: ServerOptions) -> Result<(), ServerError> {
    Server::start::<B>(device, options).map(Server::run)
}

/// [`start`] in an asynchronous program; any executor will do.
///
/// # Errors
/// When the port is taken.
pub async fn start_async<B: Backend>(device: B::Device, port: u16) -> Result<(), ServerError> {
    start_with_async::<B>(device, local(port)).await
}

/// Starts a server as [`start_with`], in an asynchronous program with any executor. The server has threads of
/// its own, and continues if the future is dropped; one that ends when it is dropped is a [`Server`].
///
/// # Errors
/// When the address cannot be bound, when other machines reach it and there is no token, or when certificate
/// or key is invalid.
pub async fn start_with_async<B: Backend>(
    device: B::Device,
    options: ServerOptions,
) -> Result<(), ServerError> {
    let (over, ended) = oneshot::channel();
    let served = move || over.send(start_with::<B>(device, options));
    std::thread::Builder::new().name("burn-server".into()).spawn(served).map_err(ServerError::Runtime)?;
    // There is no result only if the thread panicked, which it reported.
    ended.await.unwrap_or(Ok(()))
}

/// This machine only: there is no token.
fn local(port: u16) -> ServerOptions {
    ServerOptions::new(format!("127.0.0.1:{port}"))
}
