use burn_backend::DataError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why there is no tensor, or no answer. It costs what depends on it, not the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Failure {
    /// A tensor that the session does not have.
    UnknownTensor(u64),
    /// A call that has no meaning, and what is wrong with it.
    Refused(String),
    /// More bytes than the session or the server may still have.
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

impl std::error::Error for Failure {}

/// Why one end stops talking to the other: the end of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fault {
    /// Bytes that are no frame or no message.
    Malformed(String),
    /// A frame, a message or bytes where they do not belong.
    Order(String),
    /// A frame above the limit.
    FrameSize { limit: u64 },
    /// Another connection goes on with the session.
    Superseded,
    /// Nothing was heard for the time that the server waits.
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
            Fault::Idle => f.write_str("nothing was heard for too long"),
            Fault::ShuttingDown => f.write_str("the server is shutting down"),
            Fault::Internal(cause) => write!(f, "the server failed: {cause}"),
        }
    }
}

impl std::error::Error for Fault {}
