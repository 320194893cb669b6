use crate::wire::{Failure, Fault, Refusal};
use burn_backend::DataError;
use std::fmt;

/// Error of a session, or of one call.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum RemoteError {
    /// An address that is none.
    Address { address: String, cause: String },
    /// The connection could not be opened.
    Connect { address: String, cause: String },
    /// The certificates cannot be read, or the connection is not with whom it should be.
    Tls { address: String, cause: String },
    /// The server opens no session, or has this one no longer.
    Refused { address: String, reason: Refusal },
    /// The connection was lost, and did not come back in time; the tensors are gone.
    Lost { address: String, cause: String },
    /// The server ended the session.
    Ended { address: String, fault: Fault },
    /// The server's message violates the protocol.
    Protocol { address: String, cause: String },
    /// [`RemoteDevice::close`](crate::RemoteDevice::close) ended the session.
    Closed { address: String },
    /// A call of the session failed, or a tensor does not exist; the session itself goes on.
    Failed(Failure),
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemoteError::Address { address, cause } => {
                write!(f, "{address} is no address of a server: {cause}")
            }
            RemoteError::Connect { address, cause } => write!(f, "{address} does not answer: {cause}"),
            RemoteError::Tls { address, cause } => write!(f, "no safe connection with {address}: {cause}"),
            RemoteError::Refused { address, reason } => write!(f, "{address} refuses: {reason}"),
            RemoteError::Lost { address, cause } => {
                write!(f, "the connection with {address} is lost, and the tensors there: {cause}")
            }
            RemoteError::Ended { address, fault } => write!(f, "{address} ended the session: {fault}"),
            RemoteError::Protocol { address, cause } => write!(f, "{address} makes no sense: {cause}"),
            RemoteError::Closed { address } => write!(f, "the session with {address} was closed"),
            RemoteError::Failed(failure) => failure.fmt(f),
        }
    }
}

burn_backend::debug_as_display!(RemoteError);

impl std::error::Error for RemoteError {}

impl From<RemoteError> for DataError {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Failed(Failure::Data(error)) => error,
            RemoteError::Address { .. }
            | RemoteError::Connect { .. }
            | RemoteError::Tls { .. }
            | RemoteError::Refused { .. }
            | RemoteError::Lost { .. }
            | RemoteError::Ended { .. }
            | RemoteError::Protocol { .. }
            | RemoteError::Closed { .. }
            | RemoteError::Failed(_) => DataError::Device(error.to_string()),
        }
    }
}
