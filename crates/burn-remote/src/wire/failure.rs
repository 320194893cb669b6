use burn_backend::DataError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Failure of a call. It affects the tensors that depend on it, not the session.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Failure {
    /// A tensor that the session does not have.
    UnknownTensor(u64),
    /// A call that has no meaning, and what is wrong with it.
    Refused(String),
    /// The memory limit of the session or the server is exceeded.
    Memory { wanted: u64, left: u64 },
    /// Panic message of the server's backend.
    Panicked { call: String, message: String },
    /// The tensor could not be read.
    Data(DataError),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::UnknownTensor(id) => write!(f, "the session has no tensor {id}"),
            Failure::Refused(what) => f.write_str(what),
            Failure::Memory { wanted, left } => {
                write!(f, "{wanted} bytes are wanted, and the limits of the server leave {left}")
            }
            Failure::Panicked { call, message } => write!(f, "{call} failed on the server: {message}"),
            Failure::Data(error) => error.fmt(f),
        }
    }
}

burn_backend::debug_as_display!(Failure);

impl std::error::Error for Failure {}

/// Fault that ends a session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fault {
    /// Bytes that are no frame or no message.
    Malformed(String),
    /// A frame, a message or bytes where they do not belong.
    Order(String),
    /// A frame above the limit.
    FrameSize { limit: u64 },
    /// Another connection has resumed the session.
    Superseded,
    /// The idle timeout has passed.
    Idle,
    /// The server is going.
    ShuttingDown,
    /// The server failed.
    Internal(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Malformed(cause) => write!(f, "a message cannot be read: {cause}"),
            Fault::Order(cause) => write!(f, "a message is out of order: {cause}"),
            Fault::FrameSize { limit } => write!(f, "a frame has more than {limit} bytes"),
            Fault::Superseded => f.write_str("another connection goes on with the session"),
            Fault::Idle => f.write_str("nothing was received for too long"),
            Fault::ShuttingDown => f.write_str("the server is shutting down"),
            Fault::Internal(cause) => write!(f, "the server failed: {cause}"),
        }
    }
}

burn_backend::debug_as_display!(Fault);

impl std::error::Error for Fault {}
