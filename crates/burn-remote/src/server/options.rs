use crate::session::Limits;
use std::fmt;
use std::time::Duration;

/// Options of a server: address, authentication and limits.
///
/// ```
/// use burn::server::ServerOptions;
/// let options = ServerOptions::new("0.0.0.0:3000")
///     .with_token("secret")
///     .with_sessions(8)
///     .with_session_bytes(4 << 30);
/// assert_eq!(options.address(), "0.0.0.0:3000");
/// ```
#[derive(Clone)]
pub struct ServerOptions {
    pub(super) address: String,
    pub(super) token: Option<String>,
    pub(super) without_token: bool,
    pub(super) tls: Option<Tls>,
    pub(super) limits: Limits,
    pub(super) total_bytes: u64,
    pub(super) sessions: usize,
    pub(super) handshake_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) resume_timeout: Duration,
    pub(super) shutdown_timeout: Duration,
}

/// PEM files.
#[derive(Clone)]
pub(super) struct Tls {
    pub certificate: Vec<u8>,
    pub key: Vec<u8>,
}

/// Frames of less are of no use.
const SMALLEST_FRAME: usize = 256 << 10;

impl ServerOptions {
    /// Creates options of a server at an address such as `0.0.0.0:3000`; port 0 is any free one. No token, no
    /// TLS, 256 sessions, which together have three quarters of the machine's memory. An address that other
    /// machines reach needs a [token](ServerOptions::with_token).
    pub fn new(address: impl Into<String>) -> Self {
        ServerOptions {
            address: address.into(),
            token: None,
            without_token: false,
            tls: None,
            limits: Limits::default(),
            total_bytes: installed().map_or(u64::MAX, |bytes| bytes / 4 * 3),
            sessions: 256,
            handshake_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
            resume_timeout: Duration::from_secs(60),
            shutdown_timeout: Duration::from_secs(10),
        }
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sets the token that clients must present, of at most 4000 bytes. Spaces and line breaks around it are
    /// left out, such as the one at the end of a file; a token of nothing else is refused when the server
    /// starts. Without TLS, anyone who can read the network traffic can read the token.
    #[must_use]
    pub fn with_token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into().trim().to_owned());
        self
    }

    /// Allows clients without a token, from other machines too. Otherwise, a server without a token starts at
    /// a loopback address such as `127.0.0.1` only.
    ///
    /// ```
    /// use burn::server::ServerOptions;
    /// let options = ServerOptions::new("0.0.0.0:3000").allow_without_token();
    /// ```
    #[must_use]
    pub fn allow_without_token(mut self) -> Self {
        self.without_token = true;
        self
    }

    /// Listens with TLS: the chain of certificates and the key, as PEM files.
    #[must_use]
    pub fn with_tls(mut self, certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.tls = Some(Tls { certificate: certificate.into(), key: key.into() });
        self
    }

    /// Sets the largest frame in bytes that a client may send, at least 256 KiB; the default is 4 MiB.
    /// Tensors may be larger: they come in pieces.
    #[must_use]
    pub fn with_frame_bytes(mut self, bytes: usize) -> Self {
        self.limits.frame_bytes = bytes.max(SMALLEST_FRAME);
        self
    }

    /// Sets the memory limit of one session in bytes: of its tensors, a view counted as a copy, or of the
    /// buffers of its kernels and tensors, if these are more. A call that needs more workspace fails, and the
    /// session goes on. On a device with a memory of its own, only tensors count.
    #[must_use]
    pub fn with_session_bytes(mut self, bytes: u64) -> Self {
        self.limits.session_bytes = bytes;
        self
    }

    /// Sets the memory limit of all sessions together in bytes, counted as [for
    /// each](ServerOptions::with_session_bytes). The default is three quarters of the machine's memory on
    /// Linux, and otherwise no limit. Freed memory that the CPU backend keeps for later calls is up to an
    /// eighth more. A device with memory of its own needs a limit of its own.
    #[must_use]
    pub fn with_total_bytes(mut self, bytes: u64) -> Self {
        self.total_bytes = bytes;
        self
    }

    /// Sets the maximum number of concurrent sessions; the default is 256.
    #[must_use]
    pub fn with_sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// Sets the time limit for a connection to get a session, TLS and token included; the default is 10 s.
    #[must_use]
    pub fn with_handshake_timeout(mut self, timeout: Duration) -> Self {
        self.handshake_timeout = timeout;
        self
    }

    /// Sets the idle timeout: a connection is lost after this time of silence, or without a message getting
    /// through; the default is 30 s. Clients send a message every 5 s.
    #[must_use]
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Sets the time for which a session without a connection is kept; the default is 60 s.
    #[must_use]
    pub fn with_resume_timeout(mut self, timeout: Duration) -> Self {
        self.resume_timeout = timeout;
        self
    }

    /// Sets the time that sessions have to end by themselves when the server shuts down; the default is 10 s.
    #[must_use]
    pub fn with_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.shutdown_timeout = timeout;
        self
    }
}

/// Bytes of memory of this machine.
fn installed() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

impl Default for ServerOptions {
    /// [`ServerOptions::new`] at port 3000, for this machine only.
    fn default() -> Self {
        ServerOptions::new("127.0.0.1:3000")
    }
}

impl fmt::Debug for ServerOptions {
    /// Without token and key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("address", &self.address)
            .field("token", &self.token.is_some())
            .field("without_token", &self.without_token)
            .field("tls", &self.tls.is_some())
            .field("limits", &self.limits)
            .field("total_bytes", &self.total_bytes)
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}
