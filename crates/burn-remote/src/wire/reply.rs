use super::{Failure, ReplyId};
use burn_backend::{TensorData, TensorSpec};
use serde::{Deserialize, Serialize};

/// Reply of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Data {
        reply: ReplyId,
        data: TensorData,
    },
    /// Data whose bytes follow in [`Kind::Data`](super::Kind::Data) frames of their own; the last reply of
    /// its frame.
    Download {
        reply: ReplyId,
        spec: TensorSpec,
    },
    Spec {
        reply: ReplyId,
        spec: TensorSpec,
    },
    Done {
        reply: ReplyId,
    },
    Failed {
        reply: ReplyId,
        failure: Failure,
    },
}

impl Reply {
    /// Returns the request that the reply belongs to.
    pub fn id(&self) -> ReplyId {
        match self {
            Reply::Data { reply, .. }
            | Reply::Download { reply, .. }
            | Reply::Spec { reply, .. }
            | Reply::Done { reply }
            | Reply::Failed { reply, .. } => *reply,
        }
    }
}
