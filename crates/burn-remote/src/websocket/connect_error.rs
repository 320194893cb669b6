use crate::client::RemoteError;

/// Error of connecting.
#[derive(Clone, Debug)]
pub enum ConnectError {
    /// Transient: the next attempt may succeed.
    Now(String),
    /// Nor will there be one.
    For(RemoteError),
}
