use burn_backend::{Creation, DType, Operation, Outputs, TensorSpec};
use serde::{Deserialize, Serialize};

/// Identifier of a tensor, chosen by the client.
pub type TensorId = u64;
/// Identifier of a request, chosen by the client.
pub type ReplyId = u64;

/// A tensor of the session as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    pub id: TensorId,
    /// The client will not use it again: the server may write in place.
    pub last: bool,
}

/// Request of a client. The client chooses the identifiers of results, so no request waits for a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    Create {
        creation: Creation,
        output: TensorId,
    },
    /// Creates a tensor whose bytes follow in [`Kind::Data`](super::Kind::Data) frames of their own; the last
    /// request of its frame.
    Upload {
        spec: TensorSpec,
        output: TensorId,
    },
    Execute {
        op: Operation<Argument>,
        outputs: Outputs<TensorId>,
    },
    Drop(TensorId),
    Seed(u64),
    /// Answered by the data.
    Read {
        x: Argument,
        reply: ReplyId,
    },
    /// Answered by the spec of the result.
    ArgWhere {
        mask: Argument,
        index: DType,
        output: TensorId,
        reply: ReplyId,
    },
    /// Replied to when all earlier requests are done; with the first failure that no reply has returned yet,
    /// if there is one.
    Sync {
        reply: ReplyId,
    },
    /// Ends the session.
    Goodbye,
}
