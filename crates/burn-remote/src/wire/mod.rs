//! Wire protocol between client and server.
//!
//! A session starts with a [`Hello`] and its answer. Frames follow: numbered ones with messages or bytes of a
//! tensor, which are sent again after a lost connection until they are acknowledged, and unnumbered ones
//! ([`Kind::Ack`], [`Kind::Fault`]).

mod codec;
mod failure;
mod frame;
mod handshake;
mod reply;
mod request;

pub use codec::{Malformed, decode, encode, first, put};
pub use failure::{Failure, Fault};
pub use frame::{Frame, HEADER, Kind};
pub use handshake::{
    BURN, Hello, LARGEST_HELLO, PROTOCOL, Refusal, Resume, SessionId, Welcome, answer, parse_answer,
};
pub use reply::Reply;
pub use request::{Argument, ReplyId, Request, TensorId};
