use super::accept::{Port, accept};
use super::error::ServerError;
use super::options::ServerOptions;
use super::sessions::Sessions;
use super::tls;
use crate::wire::Fault;
use burn_backend::Backend;
use burn_backend::dynamic::DynamicDevice;
use std::fmt;
use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, lookup_host};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Threads for connections; those of sessions compute.
const THREADS: usize = 2;

/// Time for last messages of sessions that are ended.
const FAREWELL: Duration = Duration::from_secs(1);

/// Server that runs in threads of its own. Dropping it ends it at once.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::backend::RemoteDevice;
/// use burn::server::{Server, ServerOptions};
///
/// let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"))?;
/// let device = RemoteDevice::new(&server.url());
/// device.try_sync().expect("the server answers");
/// assert_eq!(server.stats().sessions, 1);
/// # Ok::<(), burn::server::ServerError>(())
/// ```
pub struct Server {
    address: SocketAddr,
    secure: bool,
    sessions: Arc<Sessions>,
    accepts: JoinHandle<()>,
    /// Disconnected when the port is free again.
    port: Mutex<Receiver<()>>,
    /// Runtime, kept until the server is dropped.
    runtime: Option<Runtime>,
}

/// Statistics of a server at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Number of sessions, including those without a connection.
    pub sessions: usize,
    /// Bytes of the tensors of all sessions.
    pub bytes: u64,
}

impl Server {
    /// Starts a server that computes on `device` of `B`.
    ///
    /// # Errors
    /// When the address cannot be bound, when other machines reach it and there is no token, when the token
    /// is blank, or when certificate or key is invalid.
    pub fn start<B: Backend>(device: B::Device, options: ServerOptions) -> Result<Self, ServerError> {
        Self::start_on(DynamicDevice::new::<B>(device), options)
    }

    fn start_on(device: DynamicDevice, options: ServerOptions) -> Result<Self, ServerError> {
        let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .enable_all()
            .thread_name("burn-server")
            .build()
            .map_err(ServerError::Runtime)?;
        let (address, listener) = runtime.block_on(bind(&options))?;
        let (secure, sessions) = (tls.is_some(), Sessions::new(device, options));
        let (free, port) = mpsc::channel();
        let port = Mutex::new(port);
        let accepts = runtime.spawn(accept(Port { listener, _free: free }, tls, sessions.clone()));
        Ok(Server { address, secure, sessions, accepts, port, runtime: Some(runtime) })
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL for a [`RemoteDevice`](crate::RemoteDevice) of the same machine.
    pub fn url(&self) -> String {
        format!("{}://{}", if self.secure { "wss" } else { "ws" }, self.address)
    }

    /// Returns the current statistics.
    pub fn stats(&self) -> Stats {
        let (sessions, bytes) = self.sessions.usage();
        Stats { sessions, bytes }
    }

    /// Stops accepting sessions, waits a while for the open ones to end, and then ends the rest.
    pub fn shutdown(self) {
        self.accepts.abort();
        let sessions = self.sessions.clone();
        if let Some(runtime) = &self.runtime {
            runtime.block_on(async {
                sessions.close();
                let patience = sessions.options().shutdown_timeout;
                if timeout(patience, sessions.empty()).await.is_err() {
                    sessions.end_all(&Fault::ShuttingDown);
                    // Clients that do not read are not waited for.
                    let _ended = timeout(FAREWELL, sessions.empty()).await;
                }
            });
        }
    }

    /// Waits until the process is asked to end, by Ctrl-C or a termination signal, and then [shuts
    /// down](Server::shutdown).
    pub fn run(self) {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(told_to_end());
        }
        self.shutdown();
    }
}

/// A listener at the address of the options, which without a token must be one of this machine alone.
async fn bind(options: &ServerOptions) -> Result<(SocketAddr, TcpListener), ServerError> {
    let address = || options.address().to_owned();
    let failed = |cause| ServerError::Bind { address: address(), cause };
    let places: Vec<SocketAddr> = lookup_host(options.address()).await.map_err(failed)?.collect();
    if options.token.as_deref() == Some("") {
        return Err(ServerError::BlankToken { address: address() });
    }
    let is_open = options.token.is_none() && !options.without_token;
    if is_open && places.iter().any(|place| !place.ip().to_canonical().is_loopback()) {
        return Err(ServerError::NoToken { address: address() });
    }
    let listener = TcpListener::bind(&places[..]).await.map_err(failed)?;
    Ok((listener.local_addr().map_err(failed)?, listener))
}

#[cfg(unix)]
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.sessions.close();
        self.sessions.cut_all();
        self.accepts.abort();
        if let Ok(port) = self.port.get_mut() {
            let _free = port.recv_timeout(FAREWELL);
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("url", &self.url()).field("stats", &self.stats()).finish()
    }
}
