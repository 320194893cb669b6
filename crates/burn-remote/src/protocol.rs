use burn_backend::{Creation, DType, DataError, Operation, TensorData, TensorSpec};
use serde::{Deserialize, Serialize};

pub type TensorId = u64;

/// A tensor of the server as an operand.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Argument {
    pub id: TensorId,
    /// The client will not use it again: the server may write in place.
    pub last: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    Create {
        creation: Creation,
        output: TensorId,
    },
    Execute {
        op: Operation<Argument>,
        outputs: Vec<TensorId>,
    },
    Drop(TensorId),
    Seed(u64),
    /// Answered by the data.
    Read(Argument),
    /// Answered by the spec of the result.
    ArgWhere {
        mask: Argument,
        output: TensorId,
        index: DType,
    },
    /// Answered when everything before it is done.
    Sync,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    Data(Result<TensorData, DataError>),
    Spec(Result<TensorSpec, DataError>),
    Done,
}

pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    postcard::to_stdvec(message).expect("messages have no unserializable parts")
}

pub fn decode<'a, M: Deserialize<'a>>(bytes: &'a [u8]) -> M {
    postcard::from_bytes(bytes).expect("both ends speak this version of the protocol")
}
