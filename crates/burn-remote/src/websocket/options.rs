use std::fmt;
use std::time::Duration;

/// Options of a client: address, token, TLS and time limits.
///
/// ```
/// use burn::backend::remote::{RemoteDevice, RemoteOptions};
/// let options = RemoteOptions::new("wss://tensors.example:3000").with_token("secret");
/// let device = RemoteDevice::with_options(options);
/// assert_eq!(device.address(), "wss://tensors.example:3000");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteOptions {
    address: String,
    token: Option<String>,
    certificate: Option<Vec<u8>>,
    connect_timeout: Duration,
    resume_timeout: Duration,
    idle_timeout: Duration,
}

/// The environment variable with the address of the default device.
const ADDRESS: &str = "BURN_REMOTE_ADDRESS";
/// The environment variable with the token of servers for which the program names none.
const TOKEN: &str = "BURN_REMOTE_TOKEN";

/// The token without the spaces around it, if anything is left.
fn trimmed(token: &str) -> Option<String> {
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}

impl RemoteOptions {
    /// Creates options for `ws://host:port`, or `wss://host:port` with TLS; the token of the environment
    /// variable `BURN_REMOTE_TOKEN`, if it is set.
    pub fn new(address: &str) -> Self {
        RemoteOptions {
            address: address.into(),
            token: std::env::var(TOKEN).ok().and_then(|token| trimmed(&token)),
            certificate: None,
            connect_timeout: Duration::from_secs(5),
            resume_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
        }
    }

    /// Sets the token that authenticates the client to the server. Spaces and line breaks around it are left
    /// out; a token of nothing else is none.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = trimmed(token);
        self
    }

    /// Trusts the certificate authorities of this PEM file, besides those of the system.
    #[must_use]
    pub fn with_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.certificate = Some(pem.into());
        self
    }

    /// Sets the time limit for the first connection; the default is 5 s.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the time for which reconnecting is tried before the session is given up; the default is 30 s.
    /// Servers have a limit of their own.
    #[must_use]
    pub fn with_resume_timeout(mut self, timeout: Duration) -> Self {
        self.resume_timeout = timeout;
        self
    }

    /// Sets the idle timeout: a connection is lost after this time of silence; the default is 30 s. Servers
    /// send a message every 5 s.
    #[must_use]
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }
    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }
    pub(super) fn certificate(&self) -> Option<&[u8]> {
        self.certificate.as_deref()
    }
    pub(super) fn connect_timeout(&self) -> Duration {
        self.connect_timeout
    }
    pub(super) fn resume_timeout(&self) -> Duration {
        self.resume_timeout
    }
    pub(super) fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }
}

impl Default for RemoteOptions {
    /// The server at the environment variable `BURN_REMOTE_ADDRESS`, or at `ws://127.0.0.1:3000`.
    fn default() -> Self {
        let address = std::env::var(ADDRESS);
        RemoteOptions::new(address.as_deref().unwrap_or("ws://127.0.0.1:3000"))
    }
}

impl fmt::Debug for RemoteOptions {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteOptions").field("address", &self.address).finish_non_exhaustive()
    }
}
