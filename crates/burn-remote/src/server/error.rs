use std::fmt;
use std::io;

/// Error of starting a server.
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be bound.
    Bind { address: String, cause: io::Error },
    /// Other machines reach the address, there is no token, and the options do not
    /// [allow that](super::ServerOptions::allow_without_token).
    NoToken { address: String },
    /// The token is empty or consists of spaces: everybody would guess it.
    BlankToken { address: String },
    /// The certificate or the key is none, or they do not belong together.
    Tls(String),
    /// The system gives no threads.
    Runtime(io::Error),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerError::Bind { address, cause } => write!(f, "cannot listen on {address}: {cause}"),
            ServerError::BlankToken { address } => write!(
                f,
                "server at {address}: expected a token with at least one character besides spaces, got a blank one. Leave out \
                 `with_token` to serve without a token"
            ),
            ServerError::NoToken { address } => write!(
                f,
                "server: anybody who reaches {address} would have a session; expected a token or a loopback address such as \
                 127.0.0.1, got neither. Call `with_token`, or `allow_without_token` to serve everybody"
            ),
            ServerError::Tls(cause) => write!(f, "TLS: {cause}"),
            ServerError::Runtime(cause) => write!(f, "no threads for a server: {cause}"),
        }
    }
}

burn_backend::debug_as_display!(ServerError);

impl std::error::Error for ServerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ServerError::Bind { cause, .. } | ServerError::Runtime(cause) => Some(cause),
            ServerError::NoToken { .. } | ServerError::BlankToken { .. } | ServerError::Tls(_) => None,
        }
    }
}
